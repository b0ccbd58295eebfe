//! A scene as text: the cells, then a map of roles with one letter for each.

use countersign::app::row::{CodeRole, Ground, Role};
use countersign::app::scene::Scene;
use countersign::view::theme::{GROUNDS, ROLES};
use countersign::view::{Depth, Theme, paint, sweep};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// The cells of a scene in a theme, swept.
pub(crate) fn cells(scene: &Scene, theme: &Theme) -> Buffer {
    let (width, height) = scene.size;
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
    paint(scene, theme, &mut buffer);
    assert_eq!(sweep(&mut buffer, false), 0, "the sweep found something");
    buffer
}

fn letter(role: Role) -> char {
    match role {
        Role::Text => '.',
        Role::Strong => 'S',
        Role::Muted => 'm',
        Role::Accent => 'A',
        Role::Good => 'G',
        Role::Bad => 'B',
        Role::Warn => 'W',
        Role::Moved => 'V',
        Role::Foreign => 'F',
        Role::Match => 'H',
        Role::WordAdded => '+',
        Role::WordRemoved => '-',
        Role::Code(code) => match code {
            CodeRole::Comment => 'c',
            CodeRole::String => 's',
            CodeRole::Number => 'n',
            CodeRole::Keyword => 'k',
            CodeRole::Type => 't',
            CodeRole::Function => 'f',
            CodeRole::Constant => 'o',
            CodeRole::Punctuation => 'p',
        },
    }
}

fn ground_letter(ground: Ground) -> char {
    match ground {
        Ground::Plain => ' ',
        Ground::Selected => '>',
        Ground::Added => '+',
        Ground::Removed => '-',
    }
}

/// Text, roles and grounds of a scene, as it is committed.
pub(crate) fn dump(scene: &Scene) -> String {
    let probe = Theme::builtin("probe", Depth::True).expect("the probe theme");
    let buffer = cells(scene, &probe);
    let mut out = String::new();
    let (width, height) = scene.size;
    for y in 0..height {
        let mut skip = 0;
        let mut line = String::new();
        for x in 0..width {
            if skip > 0 {
                skip -= 1;
                continue;
            }
            let symbol = buffer[(x, y)].symbol();
            skip = countersign::app::row::width(symbol).saturating_sub(1);
            line.push_str(symbol);
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out.push_str("== roles, then ground\n");
    for y in 0..height {
        let mut line = String::new();
        let mut ground = ' ';
        for x in 0..width {
            let cell = &buffer[(x, y)];
            let role = ROLES
                .iter()
                .find(|(role, _)| probe.role(*role).fg == Some(cell.fg));
            let found = GROUNDS
                .iter()
                .find(|(g, _)| probe.ground(*g).bg == Some(cell.bg));
            if let Some((found, _)) = found {
                ground = ground_letter(*found);
            }
            line.push(match role {
                _ if cell.symbol() == " " => ' ',
                Some((role, _)) => letter(*role),
                None => ' ',
            });
        }
        let line = format!("{ground}{}", line.trim_end());
        out.push_str(line.trim_end());
        out.push('\n');
    }
    if let Some(deciding) = &scene.deciding {
        out.push_str(&format!("== shown {}\n", deciding.shown.join(", ")));
        out.push_str(&format!("== missing {}\n", deciding.missing.join(", ")));
    }
    out
}
