//! Terminal events as messages. Only presses count; what comes faster than a person types is
//! marked as held, so that it moves and types but never decides (TUI-8, TUI-10).

use termina::Event;
use termina::event::{
    KeyCode, KeyEvent, KeyEventKind, Modifiers, MouseButton, MouseEvent, MouseEventKind,
};

use crate::app::key::{Code, Key};
use crate::app::msg::Msg;

/// The same key again within this many milliseconds is a held key, not a second press.
const HELD_MS: u64 = 45;
/// From so many different characters in one burst on, nobody typed them.
const BURST: usize = 3;
/// Two clicks on one cell within this are a double click.
const DOUBLE_CLICK_MS: u64 = 400;
/// Lines that one notch of the wheel moves.
const WHEEL_LINES: i16 = 3;

/// What has to be remembered between two bursts.
#[derive(Debug, Default)]
pub struct Input {
    last_key: Option<(Key, u64)>,
    last_click: Option<(u16, u16, u64)>,
}

impl Input {
    /// The messages of one drained burst, read at `now_ms`.
    pub fn messages(&mut self, burst: Vec<Event>, now_ms: u64) -> Vec<Msg> {
        let rushed = rushed(&burst);
        burst
            .into_iter()
            .filter_map(|event| self.message(event, rushed, now_ms))
            .collect()
    }

    fn message(&mut self, event: Event, rushed: bool, now_ms: u64) -> Option<Msg> {
        match event {
            Event::Key(event) => self.key(event, rushed, now_ms),
            Event::Paste(text) => Some(Msg::Paste(text)),
            Event::FocusIn => Some(Msg::Focus(true)),
            Event::FocusOut => Some(Msg::Focus(false)),
            Event::Mouse(event) => self.mouse(event, now_ms),
            // Sizes come from the system, and answers to questions that nobody asked are noise.
            Event::WindowResized(_) | Event::Csi(_) | Event::Osc(_) | Event::Dcs(_) => None,
        }
    }

    fn key(&mut self, event: KeyEvent, rushed: bool, now_ms: u64) -> Option<Msg> {
        if event.kind == KeyEventKind::Release {
            return None;
        }
        let key = key_of(event.code, event.modifiers)?;
        let held = self
            .last_key
            .is_some_and(|(last, at)| last == key && now_ms.saturating_sub(at) < HELD_MS);
        self.last_key = Some((key, now_ms));
        Some(Msg::Key {
            key,
            repeat: held || rushed || event.kind == KeyEventKind::Repeat,
        })
    }

    fn mouse(&mut self, event: MouseEvent, now_ms: u64) -> Option<Msg> {
        let (x, y) = (event.column, event.row);
        match event.kind {
            MouseEventKind::ScrollUp => Some(Msg::Wheel(x, y, -WHEEL_LINES)),
            MouseEventKind::ScrollDown => Some(Msg::Wheel(x, y, WHEEL_LINES)),
            MouseEventKind::Down(MouseButton::Left) => {
                let double = self.last_click.take().is_some_and(|(px, py, at)| {
                    (px, py) == (x, y) && now_ms.saturating_sub(at) < DOUBLE_CLICK_MS
                });
                if !double {
                    self.last_click = Some((x, y, now_ms));
                }
                Some(Msg::Click(x, y, double))
            }
            _ => None,
        }
    }
}

/// Whether this burst was pasted into a terminal that does not mark pastes.
fn rushed(burst: &[Event]) -> bool {
    let mut typed = burst.iter().filter_map(|event| match event {
        Event::Key(KeyEvent {
            code: code @ (KeyCode::Char(_) | KeyCode::Enter),
            kind: KeyEventKind::Press,
            ..
        }) => Some(code),
        _ => None,
    });
    let Some(first) = typed.next() else {
        return false;
    };
    let (mut count, mut differ) = (1, false);
    for code in typed {
        count += 1;
        differ |= code != first;
    }
    differ && count >= BURST
}

/// The key as the app names it; `None` for keys that have no name there.
fn key_of(code: KeyCode, modifiers: Modifiers) -> Option<Key> {
    let mut shift = modifiers.contains(Modifiers::SHIFT);
    let code = match code {
        KeyCode::Char(character) => {
            shift = false;
            Code::Char(character)
        }
        KeyCode::Function(number) => Code::F(number),
        KeyCode::Enter => Code::Enter,
        KeyCode::Escape => Code::Esc,
        KeyCode::Tab => Code::Tab,
        KeyCode::BackTab => {
            shift = true;
            Code::Tab
        }
        KeyCode::Backspace => Code::Backspace,
        KeyCode::Delete => Code::Delete,
        KeyCode::Up => Code::Up,
        KeyCode::Down => Code::Down,
        KeyCode::Left => Code::Left,
        KeyCode::Right => Code::Right,
        KeyCode::Home => Code::Home,
        KeyCode::End => Code::End,
        KeyCode::PageUp => Code::PageUp,
        KeyCode::PageDown => Code::PageDown,
        _ => return None,
    };
    let ctrl = modifiers.contains(Modifiers::CONTROL);
    let code = match code {
        Code::Char(character) if ctrl => Code::Char(character.to_ascii_lowercase()),
        other => other,
    };
    Some(Key {
        code,
        ctrl,
        alt: modifiers.contains(Modifiers::ALT),
        shift,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(character: char) -> Event {
        Event::Key(KeyEvent::new(KeyCode::Char(character), Modifiers::empty()))
    }

    fn held(messages: &[Msg]) -> Vec<bool> {
        messages
            .iter()
            .filter_map(|msg| match msg {
                Msg::Key { repeat, .. } => Some(*repeat),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn a_held_key_is_marked_from_its_second_press_on() {
        let mut input = Input::default();
        assert_eq!(held(&input.messages(vec![press('r')], 1000)), [false]);
        assert_eq!(held(&input.messages(vec![press('r')], 1033)), [true]);
        assert_eq!(held(&input.messages(vec![press('r')], 1066)), [true]);
        assert_eq!(held(&input.messages(vec![press('r')], 1400)), [false]);
    }

    #[test]
    fn different_characters_at_once_are_marked_and_two_are_not() {
        let mut input = Input::default();
        let burst = |text: &str| text.chars().map(press).collect::<Vec<_>>();
        assert_eq!(held(&input.messages(burst("rbaxSq"), 0)), [true; 6]);
        assert_eq!(held(&input.messages(burst("nr"), 900)), [false; 2]);
    }

    #[test]
    fn letters_carry_no_shift_and_back_tab_does() {
        let upper = key_of(KeyCode::Char('G'), Modifiers::SHIFT);
        assert_eq!(upper, Some(Key::char('G')));
        let back = key_of(KeyCode::BackTab, Modifiers::SHIFT);
        let wanted = Key {
            shift: true,
            ..Key::plain(Code::Tab)
        };
        assert_eq!(back, Some(wanted));
        let save = key_of(KeyCode::Char('s'), Modifiers::CONTROL);
        assert_eq!(save, Some(Key::ctrl('s')));
    }

    #[test]
    fn releases_are_no_keys() {
        let mut input = Input::default();
        let mut event = KeyEvent::new(KeyCode::Char('r'), Modifiers::empty());
        event.kind = KeyEventKind::Release;
        assert!(input.messages(vec![Event::Key(event)], 0).is_empty());
    }
}
