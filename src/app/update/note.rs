//! Notes: typed texts that end in an act. What is typed is a draft from the first key, is kept on
//! `Esc`, and goes away only when the act that carries it is recorded (TUI-7).

use ratatui_textarea::{CursorMove, TextArea};

use crate::gate::chains::prescribe;
use crate::gate::decide::{Act, Answer, TEXT_LIMIT};
use crate::gate::dossier::Subject;
use crate::gate::permit::Verb;
use crate::gate::verify::minor::Tag;
use crate::model::chain::Why;
use crate::model::evidence::Evidence;
use crate::model::ruling::Cause;
use crate::model::text::{Foreign, Place};

use super::super::command::Command;
use super::super::effect::Effect;
use super::super::key::{Code, Key};
use super::super::state::{Mode, Note, NoteKind, Purpose, State};
use super::super::subject::{key_of, name_of};
use super::decide;
use super::note_kind::answered_by;

impl Note {
    /// Its draft's key for one field.
    #[must_use]
    pub fn draft_key(&self, field: usize) -> String {
        draft_key(&self.subject, self.kind, field, &self.head)
    }

    /// Titles of required fields that are still blank.
    #[must_use]
    pub fn blank(&self) -> Vec<&'static str> {
        self.fields
            .iter()
            .filter(|(_, area)| text_of(area).trim().is_empty())
            .map(|(title, _)| *title)
            .collect()
    }
}

/// A draft's key: item, kind, field, and the head it was written for.
fn draft_key(subject: &Subject, kind: NoteKind, field: usize, head: &str) -> String {
    format!("{} | {} | {field} | {head}", key_of(subject), kind.word())
}

/// The text of a field.
#[must_use]
pub(super) fn text_of(area: &TextArea<'_>) -> String {
    area.lines().join("\n")
}

/// A field with a text in it and the cursor behind it.
#[must_use]
pub(super) fn field(text: &str) -> TextArea<'static> {
    let mut area = TextArea::new(text.split('\n').map(str::to_owned).collect());
    area.move_cursor(CursorMove::Bottom);
    area.move_cursor(CursorMove::End);
    area
}

/// What a note of a chain starts with: its prescription, or the line that comes nearest.
fn first_words(state: &State, subject: &Subject, kind: NoteKind) -> Option<String> {
    let Subject::Chain(id) = subject else {
        return None;
    };
    let chain = state.chain(id)?;
    match kind {
        NoteKind::KickBack => {
            let lines = prescribe(chain).lines();
            (!lines.is_empty()).then(|| lines.join("\n"))
        }
        NoteKind::ChainClosed => {
            let near = chain
                .spans
                .iter()
                .find(|span| !span.callee && !matches!(span.why, Why::Edge | Why::SaidByCallee));
            let file = chain.caller_file.foreign().shown(Place::Strict).plain();
            near.map(|span| format!("{file}:{}", span.line))
        }
        _ => None,
    }
}

/// Marked lines stand at the end of the words for the agent, once.
fn take_lines(
    state: &mut State,
    kind: NoteKind,
    mut fields: Vec<(&'static str, TextArea<'static>)>,
) -> Vec<(&'static str, TextArea<'static>)> {
    let sends = matches!(
        kind,
        NoteKind::KickBack | NoteKind::Lift | NoteKind::ScopeDecline
    );
    if let Some((_, area)) = fields.first_mut().filter(|_| sends)
        && let Some((path, first, last)) = state.nav.lines.take()
    {
        let path = path.foreign().shown(Place::Strict).plain();
        let text = text_of(area);
        let gap = if text.is_empty() { "" } else { "\n" };
        *area = field(&format!("{text}{gap}{path}:{first}-{last} "));
    }
    fields
}

/// Opens a note, with its draft where there is one: for this head first, else for another.
pub(super) fn open(state: &mut State, subject: Subject, verb: Verb, kind: NoteKind) {
    let head = state
        .dossier()
        .map(|dossier| dossier.snapshot.head.short())
        .unwrap_or_default();
    let mut from_other = None;
    let fields = kind
        .fields()
        .iter()
        .enumerate()
        .map(|(at, title)| {
            let key = draft_key(&subject, kind, at, &head);
            let stem = draft_key(&subject, kind, at, "");
            let text = state.drafts.get(&key).cloned().or_else(|| {
                let (other, text) = state
                    .drafts
                    .range(stem.clone()..)
                    .take_while(|(other, _)| other.starts_with(&stem))
                    .last()?;
                from_other = Some(other.trim_start_matches(&stem).to_owned());
                Some(text.clone())
            });
            let text = text.or_else(|| first_words(state, &subject, kind));
            (*title, field(&text.unwrap_or_default()))
        })
        .collect();
    let fields = take_lines(state, kind, fields);
    let (cause, _) = state.preset_cause(&subject);
    let drafted = fields
        .iter()
        .any(|(_, area)| !text_of(area).trim().is_empty());
    let key = state.keys.shown(Command::NoteDrop);
    if let Some(other) = from_other {
        state.say(format!(
            "this draft was written for {other} · {key} throws it away"
        ));
    } else if drafted {
        state.say(format!("your draft, as you left it · {key} throws it away"));
    }
    state.mode = Mode::Note(Box::new(Note {
        subject,
        verb,
        kind,
        fields,
        at: 0,
        on_cause: false,
        cause,
        head,
    }));
}

/// A command inside a note.
pub(super) fn command(state: &mut State, command: Command, fx: &mut Vec<Effect>) {
    match command {
        Command::NoteDone => done(state, fx),
        Command::NoteField => step(state, true),
        Command::NoteFieldBack => step(state, false),
        Command::NoteEditor => editor(state, fx),
        Command::NoteDrop => throw_away(state, fx),
        _ => leave(state),
    }
}

/// The text of the field is not wanted any more.
fn throw_away(state: &mut State, fx: &mut Vec<Effect>) {
    let Mode::Note(note) = &mut state.mode else {
        return;
    };
    let at = note.at;
    if let Some((_, area)) = note.fields.get_mut(at) {
        *area = field("");
    }
    changed(state, fx);
    state.say("thrown away, on disk as well");
}

/// `Esc`: the text stays.
pub(super) fn leave(state: &mut State) {
    let Mode::Note(note) = &state.mode else {
        return;
    };
    let subject = name_of(&note.subject);
    let typed = note.blank().len() < note.fields.len();
    state.mode = Mode::Browse;
    if typed {
        state.say(format!("draft of {subject} kept"));
    }
}

/// The next field; for a kick-back the causes are one of them.
fn step(state: &mut State, forward: bool) {
    let Mode::Note(note) = &mut state.mode else {
        return;
    };
    let causes = usize::from(note.kind == NoteKind::KickBack);
    let stops = note.fields.len() + causes;
    let here = if note.on_cause {
        note.fields.len()
    } else {
        note.at
    };
    let next = (here + if forward { 1 } else { stops - 1 }) % stops;
    note.on_cause = next == note.fields.len();
    if !note.on_cause {
        note.at = next;
    }
}

fn editor(state: &mut State, fx: &mut Vec<Effect>) {
    let Mode::Note(note) = &state.mode else {
        return;
    };
    let Some((_, area)) = note.fields.get(note.at) else {
        return;
    };
    let text = text_of(area);
    let ticket = state.ask(Purpose::Editor);
    fx.push(Effect::Editor(ticket, text));
}

/// The editor closed: its text goes into the field that was open.
pub(super) fn edited(state: &mut State, text: &str, fx: &mut Vec<Effect>) {
    let kept = cut(text.trim_end_matches('\n'));
    match &mut state.mode {
        Mode::Note(note) => {
            let at = note.at;
            if let Some((_, area)) = note.fields.get_mut(at) {
                *area = field(kept);
            }
            changed(state, fx);
        }
        Mode::SignOne(sign) => {
            sign.attack = field(kept);
            super::sign::changed(state, fx);
        }
        _ => state
            .refuse("the editor's text has no note to go to; it is in the file it was saved to"),
    }
    if kept.len() < text.trim_end_matches('\n').len() {
        state.refuse("cut at 64 KiB");
    }
}

/// What is said of texts that an earlier sitting left; `None` when there are none.
pub(super) fn drafted(state: &State) -> Option<String> {
    let mut items: Vec<&str> = state
        .drafts
        .keys()
        .filter(|key| !key.starts_with("ruling | edits"))
        .filter_map(|key| key.split(" | ").next())
        .collect();
    items.dedup();
    let first = *items.first()?;
    let more = match items.len() {
        1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    let first = Foreign::from(first).shown(Place::Strict).plain();
    Some(format!("a draft is kept for {first}{more}"))
}

/// At most [`TEXT_LIMIT`] bytes of a text, at a character's border.
pub(super) fn cut(text: &str) -> &str {
    let mut end = text.len().min(TEXT_LIMIT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or("")
}

/// A key that is no command: text, or a cause.
pub(super) fn typed(state: &mut State, key: Key, fx: &mut Vec<Effect>) {
    let Mode::Note(note) = &mut state.mode else {
        return;
    };
    if note.on_cause {
        cause(note, key);
        return;
    }
    let at = note.at;
    let full = note
        .fields
        .get(at)
        .is_some_and(|(_, area)| text_of(area).len() >= TEXT_LIMIT);
    if full && key.typed().is_some() {
        return state.refuse("a text holds at most 64 KiB");
    }
    let edited = note
        .fields
        .get_mut(at)
        .is_some_and(|(_, area)| write(area, key, true));
    if edited {
        changed(state, fx);
    }
}

fn cause(note: &mut Note, key: Key) {
    let here = Cause::ALL
        .iter()
        .position(|cause| *cause == note.cause)
        .unwrap_or(0);
    let next = match (key.code, key.typed()) {
        (Code::Left, _) => Some(here.saturating_sub(1)),
        (Code::Right, _) => Some(here + 1),
        (Code::Enter, _) => {
            note.on_cause = false;
            None
        }
        (_, Some(digit)) => digit
            .to_digit(10)
            .and_then(|digit| usize::try_from(digit).ok())
            .and_then(|digit| digit.checked_sub(1)),
        (_, None) => None,
    };
    if let Some(cause) = next.and_then(|at| Cause::ALL.get(at)) {
        note.cause = *cause;
        // A digit answers the question; the text is where the person goes on.
        note.on_cause = key.typed().is_none();
    }
}

/// The draft of every field, after a change.
pub(super) fn changed(state: &mut State, fx: &mut Vec<Effect>) {
    let Mode::Note(note) = &state.mode else {
        return;
    };
    if let Some((_, area)) = note.fields.get(note.at) {
        let (key, text) = (note.draft_key(note.at), text_of(area));
        keep(state, key, text, fx);
    }
}

/// Keeps a text under a key, or drops the key when nothing is left of the text.
pub(super) fn keep(state: &mut State, key: String, text: String, fx: &mut Vec<Effect>) {
    if text.is_empty() {
        state.drafts.remove(&key);
        fx.push(Effect::DropDraft(key));
    } else {
        state.drafts.insert(key.clone(), text.clone());
        fx.push(Effect::Draft { key, text });
    }
}

/// Writes a key into a field; whether the text changed.
pub(super) fn write(area: &mut TextArea<'static>, key: Key, lines: bool) -> bool {
    if let Some(character) = key.typed() {
        area.insert_char(character);
        return true;
    }
    match key.code {
        Code::Enter if lines => {
            area.insert_newline();
            return true;
        }
        Code::Backspace if key.alt || key.ctrl => return area.delete_word(),
        Code::Backspace => return area.delete_char(),
        Code::Delete => return area.delete_next_char(),
        Code::Char('w') if key.ctrl => return area.delete_word(),
        Code::Char('u') if key.ctrl => return area.delete_line_by_head(),
        Code::Char('k') if key.ctrl => return area.delete_line_by_end(),
        Code::Char('a') if key.ctrl => area.move_cursor(CursorMove::Head),
        Code::Left if key.ctrl || key.alt => area.move_cursor(CursorMove::WordBack),
        Code::Right if key.ctrl || key.alt => area.move_cursor(CursorMove::WordForward),
        Code::Left => area.move_cursor(CursorMove::Back),
        Code::Right => area.move_cursor(CursorMove::Forward),
        Code::Up => area.move_cursor(CursorMove::Up),
        Code::Down => area.move_cursor(CursorMove::Down),
        Code::Home => area.move_cursor(CursorMove::Head),
        Code::End => area.move_cursor(CursorMove::End),
        Code::Enter
        | Code::Char(_)
        | Code::F(_)
        | Code::Esc
        | Code::Tab
        | Code::PageUp
        | Code::PageDown => {}
    }
    false
}

/// `Ctrl-s`: the act, when every text is there.
fn done(state: &mut State, fx: &mut Vec<Effect>) {
    let head = state
        .dossier()
        .map(|dossier| dossier.snapshot.head.short())
        .unwrap_or_default();
    let Mode::Note(note) = &mut state.mode else {
        return;
    };
    let blank = note.blank();
    if let Some(first) = blank.first() {
        let says = format!("Closed: a text is needed: {first}.");
        return state.refuse(says);
    }
    if note.head != head {
        return rebind(state, head, fx);
    }
    let subject = note.subject.clone();
    let kind = note.kind;
    let cause = note.cause;
    let keys = (0..note.fields.len())
        .map(|at| note.draft_key(at))
        .collect();
    let mut texts = note.fields.iter().map(|(_, area)| text_of(area));
    let text = texts.next().unwrap_or_default();
    let second = texts.next().unwrap_or_default();
    if kind == NoteKind::Rationale {
        return rationale(state, &subject, text, keys, fx);
    }
    let evidence = state.evidence(&subject);
    let act = match kind {
        NoteKind::KickBack => Act::KickBack { cause, text },
        NoteKind::Abandon => Act::Abandon {
            reason: text,
            handoff: second,
        },
        NoteKind::AcceptPartial => Act::AcceptPartial { reason: text },
        NoteKind::Lift => Act::Lift { text },
        NoteKind::AcceptEdit => Act::AcceptEdit { why: text },
        NoteKind::RatifyUnseen => Act::RatifyUnseen {
            evidence,
            why: text,
        },
        NoteKind::NotApplicable => Act::NotApplicable { why: text },
        NoteKind::Override => Act::Override { why: text },
        NoteKind::ScopeDecline => Act::ScopeDecline { text },
        NoteKind::ScopeTicket => Act::ScopeTicket { text },
        NoteKind::ScopeEscalate => Act::ScopeEscalate { text },
        NoteKind::ChainClosed => Act::ChainClosed {
            at: text.trim().to_owned(),
        },
        NoteKind::ChainAccepted => Act::ChainAccepted { why: text },
        NoteKind::Addressed => match answered_by(state, &text) {
            Ok(answer) => Act::Answer(answer),
            Err(why) => return state.refuse(why),
        },
        NoteKind::NotActionable => Act::Answer(Answer::NotActionable { why: text }),
        NoteKind::ThreadTicket => Act::Answer(Answer::Ticketed { text }),
        NoteKind::Tag => match Tag::parse(text.trim().trim_end_matches(':')) {
            Some(tag) => Act::Answer(Answer::Tagged(tag)),
            None => {
                return state
                    .refuse("Closed: the tag is one of verifiable, consider and nofollow.");
            }
        },
        NoteKind::WaiverHolds => Act::Answer(Answer::WaiverHolds { why: text }),
        NoteKind::WaiverRefused => Act::Answer(Answer::WaiverRefused { why: text }),
        NoteKind::Reply => return super::triage::worded(state, subject, &text, keys),
        NoteKind::Rationale => return,
    };
    decide::act_now(state, &subject, act, keys, fx);
}

/// The note was written for another head: says so once, and moves its drafts along.
fn rebind(state: &mut State, head: String, fx: &mut Vec<Effect>) {
    let Mode::Note(note) = &mut state.mode else {
        return;
    };
    let says = format!(
        "written for {}; the head is {head} now. The same key again does it for {head}.",
        note.head
    );
    let old: Vec<String> = (0..note.fields.len())
        .map(|at| note.draft_key(at))
        .collect();
    note.head = head;
    let new: Vec<(String, String)> = note
        .fields
        .iter()
        .enumerate()
        .map(|(at, (_, area))| (note.draft_key(at), text_of(area)))
        .collect();
    for key in old {
        keep(state, key, String::new(), fx);
    }
    for (key, text) in new {
        keep(state, key, text, fx);
    }
    state.refuse(says);
}

/// Own words become picked evidence; the draft has done its work.
fn rationale(
    state: &mut State,
    subject: &Subject,
    text: String,
    keys: Vec<String>,
    fx: &mut Vec<Effect>,
) {
    let Subject::Criterion(id) = subject else {
        return;
    };
    if let Some(why) = super::picker::refused_words(&text) {
        return state.refuse(why);
    }
    state
        .world
        .picked
        .entry(id.clone())
        .or_default()
        .push(Evidence::Rationale(text));
    super::seen::reopen(state, subject);
    state.mode = Mode::Browse;
    for key in keys {
        state.drafts.remove(&key);
        fx.push(Effect::DropDraft(key));
    }
    state.rejudge();
    let ratify = state.keys.shown(Command::Ratify);
    state.say(format!(
        "your words are marked as evidence of {id} · {ratify} ratifies on them"
    ));
}
