//! Everything a session remembers between two keys.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use ratatui_textarea::TextArea;

use crate::gate::carry::Offer;
use crate::gate::dossier::{Dossier, Subject};
use crate::gate::judge::{Judgment, Pane};
use crate::gate::menu::given::Given;
use crate::gate::permit::Verb;
use crate::gate::policy::Policy;
use crate::gate::verify::since::Since;
use crate::model::chain::ChainId;
use crate::model::change::{FileChange, FileHunks, Hunk, Shape};
use crate::model::evidence::Evidence;
use crate::model::id::{CriterionId, Digest, EntryId, RepoPath, Ticket};
use crate::model::known::Known;

use crate::model::ruling::{Cause, RootCause, Verdict};
use crate::model::text::Foreign;

use super::claims::Claims;
use super::command::Context;
use super::edit::EditPlan;
use super::keymap::Keymap;
use super::msg::{Others, Side, TextLine, Trouble, TrustCard};
use super::scene::{Deciding, Measured};
use super::tree::Branch;
use super::triage::Gate;

/// The session.
#[derive(Debug)]
pub struct State {
    /// Facts and what the rules make of them.
    pub world: World,
    /// Hunks and lines that have come.
    pub diff: DiffStore,
    /// Oracles: trusted, queued, running.
    pub runs: RunBoard,
    /// Where the person is.
    pub nav: Nav,
    /// What was on screen, item by item.
    pub seen: SeenBoard,
    /// What the keys mean now.
    pub mode: Mode,
    /// Typed texts by key, recorded ones removed.
    pub drafts: BTreeMap<String, String>,
    /// The row that says what just happened.
    pub status: Status,
    /// Size, focus, time.
    pub screen: ScreenFacts,
    /// Questions that are waited for.
    pub waiting: Waiting,
    /// Which key is which command.
    pub keys: Keymap,
}

/// Facts and their judgment.
#[derive(Debug)]
pub struct World {
    /// `Unknown` while reading; an `Err`-like end is in `trouble`.
    pub dossier: Option<Box<Dossier>>,
    /// The judgment of exactly that dossier.
    pub judgment: Option<Box<Judgment>>,
    /// The knobs.
    pub policy: Policy,
    /// What happened since a round sent the change back.
    pub since: Known<Since>,
    /// Why nothing could be opened.
    pub trouble: Option<Trouble>,
    /// Evidence that the person picked for a criterion and did not rule on yet.
    pub picked: BTreeMap<CriterionId, Vec<Evidence>>,
    /// Whether this is the built-in sample (shows the guide).
    pub sample: bool,
    /// Decisions of this sitting, newest last, for undo.
    pub sitting: Vec<EntryId>,
    /// The ruling of this sitting.
    pub ruled: Option<EntryId>,
    /// Whether the person confirmed the name that they are recorded under.
    pub confirmed: bool,
    /// What other consoles recorded and was not read here.
    pub others: Option<Others>,
    /// Who claims which file.
    pub claims: Claims,
    /// Files that came before the rest did, who claims them, and whether these are all.
    pub streamed: Option<Streamed>,
    /// Gate messages with what is looked at of each, in the order of the dossier.
    pub gates: Vec<Gate>,
    /// The page of the spec gate.
    pub spec: SpecPage,
    /// What is being carried over.
    pub carrying: Carrying,
    /// Whether the change is being read again: files that come now belong to what is read.
    pub rereading: bool,
}

impl State {
    /// Whether the change touches files of a spec tree; none while its files are not known.
    #[must_use]
    pub fn touches_spec(&self) -> Option<bool> {
        self.world.judgment.as_ref()?.touches_spec
    }
}

/// What the page of the spec gate shows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum SpecPage {
    /// It was not opened, or has to be read again.
    #[default]
    Unasked,
    /// It is being read.
    Reading,
    /// Its lines.
    Read(Arc<super::spec::SpecLook>),
    /// Why it could not be read.
    Failed(String),
}

/// A list of files that came early: the files, who claims them, whether these are all.
pub type Streamed = (Vec<FileChange>, Option<Box<Claims>>, bool);

/// Hunks and lines by file.
#[derive(Debug, Default)]
pub struct DiffStore {
    /// What each file is made of.
    pub files: HashMap<RepoPath, FileView>,
    /// Side by side?
    pub split: bool,
    /// Wrap long lines?
    pub wrap: bool,
    /// Context lines around hunks.
    pub context: u32,
    /// Files whose unchanged runs are open: first base line of each.
    pub unfolded: BTreeSet<(RepoPath, u32)>,
}

/// Why a file's hunks are unknown while they are on their way.
pub const READING: &str = "being read";

/// One file.
#[derive(Debug)]
pub struct FileView {
    /// What it is.
    pub shape: Known<Shape>,
    /// Its hunks; unknown while they are computed.
    pub hunks: Known<FileHunks>,
    /// Lines that have come, by side and 0-based number.
    pub lines: HashMap<(Side, u32), TextLine>,
    /// Ranges that were asked for with their tokens, answered or not; nothing is asked for twice.
    pub asked: Vec<(Side, Range<u32>)>,
}

impl FileView {
    /// Whether a line was asked for with its tokens.
    #[must_use]
    pub fn was_asked(&self, side: Side, line: u32) -> bool {
        let asked = self.asked.iter();
        asked
            .filter(|(other, _)| *other == side)
            .any(|(_, range)| range.contains(&line))
    }

    /// Takes lines that came. What came with tokens stays when the same comes plain.
    pub fn take(&mut self, side: Side, from: u32, lines: Vec<TextLine>) {
        for (line, text) in (from..).zip(lines) {
            let known = self.lines.get(&(side, line));
            if text.tokens.is_empty() && known.is_some_and(|known| !known.tokens.is_empty()) {
                continue;
            }
            self.lines.insert((side, line), text);
        }
    }
}

/// Oracles.
#[derive(Debug, Default)]
pub struct RunBoard {
    /// Approved for this tree, byte for byte.
    pub trusted: BTreeSet<CriterionId>,
    /// Those of the queued and running ones that run on base.
    pub control: BTreeSet<CriterionId>,
    /// Waiting, in order.
    pub queued: Vec<CriterionId>,
    /// Running now.
    pub running: BTreeMap<CriterionId, Running>,
    /// Stored outputs that have come, by digest and 0-based line.
    pub outputs: HashMap<Digest, BTreeMap<u64, Foreign>>,
    /// Ranges of stored outputs that were asked for, answered or not.
    pub asked: HashMap<Digest, Vec<Range<u64>>>,
}

/// A live run.
#[derive(Clone, Debug)]
pub struct Running {
    /// Started at, monotonic ms.
    pub since_ms: u64,
    /// Its limit.
    pub limit_ms: u64,
    /// Lines so far.
    pub lines: u64,
    /// Bytes so far.
    pub bytes: u64,
    /// The last lines.
    pub tail: Vec<Foreign>,
}

/// Where the person is.
#[derive(Debug, Default)]
pub struct Nav {
    /// The selected row of the list.
    pub selected: Option<Row>,
    /// Which part takes movement keys.
    pub focus: Focus,
    /// First visible row of the list.
    pub list_top: usize,
    /// First visible row of the card, of the diff, of the page.
    pub tops: BTreeMap<Focus, usize>,
    /// The file whose diff is shown; follows the selection until the person moves it.
    pub file: Option<RepoPath>,
    /// The cursor row inside the focused part (diff row, menu row, page row).
    pub cursor: usize,
    /// Cursor rows of the parts that do not have the focus.
    pub cursors: BTreeMap<Focus, usize>,
    /// The part and the row to return to when a search is given up.
    pub before_search: Option<(Focus, usize)>,
    /// What was searched before, newest last.
    pub searched: Vec<String>,
    /// Whether `n` has stopped at the end already and starts at the top next.
    pub at_end: bool,
    /// Names of the edits that will be written at the ruling, switched on by the person on the
    /// verdict page.
    pub writes: BTreeSet<String>,
    /// Marks set with `M`.
    pub marks: BTreeMap<char, Row>,
    /// The suite whose text was opened from the page of the spec gate, the cursor there, and what
    /// was selected then.
    pub from_spec: Option<(RepoPath, usize, Option<Row>)>,
    /// Where `Ctrl-o` goes.
    pub back: Vec<Row>,
    /// Which rows of the list are drawn.
    pub filter: Filter,
    /// The order in which the rows of each pane are drawn and walked, as it was when the person
    /// asked for it: nothing moves under the hands. `None` is the order of the source.
    pub order: Option<Vec<Subject>>,
    /// Whether the person asked for the order of standings.
    pub sorted: bool,
    /// Whether the person asked for the chains as a tree.
    pub as_tree: bool,
    /// That tree, in the order of `order`.
    pub tree: Option<Vec<Branch>>,
    /// Whether what is typed into the search field narrows the list instead.
    pub narrowing: bool,
    /// Lines of the diff that a kick-back takes along: file, first and last line, 1-based.
    pub lines: Option<(RepoPath, u32, u32)>,
    /// The piece of evidence of a chain that the editor was opened at last.
    pub evidence: Option<(ChainId, usize)>,
    /// Guide strips that were used.
    pub guide_done: u8,
}

/// Which rows of the list are drawn.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Filter {
    /// All.
    #[default]
    All,
    /// Those that are owed.
    Owed,
    /// Those that hold these words, in small letters.
    Words(String),
}

/// A row of the list.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Row {
    /// Something that may be owed.
    Item(Subject),
    /// A changed file.
    File(RepoPath),
    /// The verdict.
    Verdict,
}

/// Which part takes movement keys.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Focus {
    /// The list.
    #[default]
    List,
    /// The card of the selected item.
    Card,
    /// The diff.
    Diff,
    /// The whole output of a run.
    Output,
    /// The verdict page.
    Verdict,
    /// The ledger page.
    Ledger,
    /// The page of the spec gate.
    Spec,
    /// The page of a gate message.
    Triage,
    /// The trust page.
    Trust,
    /// The page of carry-over.
    Carry,
    /// The page of the sign-off that shows what is written.
    Writes,
}

/// What was on screen.
#[derive(Debug, Default)]
pub struct SeenBoard {
    /// By item: labels of deciding rows that reached the terminal for the pinned snapshot.
    pub rows: BTreeMap<Subject, BTreeSet<String>>,
    /// By item: when the last missing deciding row came on screen (monotonic ms).
    pub complete_since: BTreeMap<Subject, u64>,
    /// What the scene drawn last shows.
    pub drawn: Option<Deciding>,
    /// The last of these that there was; a box over the rest has none of its own.
    pub last: Option<Deciding>,
    /// What the scene drawn last measured.
    pub measured: Measured,
    /// What took the deciding keys on the scene drawn last; a deciding key is dropped unless
    /// the same takes them now (TUI-10).
    pub stage: Option<Stage>,
    /// The same, composed and not yet known to have reached the terminal.
    pub composed: Option<Stage>,
    /// Whether the frame that reached the terminal last showed a deciding row for the first time,
    /// which may change what is said.
    pub grew: bool,
    /// Changed lines of each file that were on screen with their text, 0-based.
    pub file_lines: HashMap<RepoPath, BTreeSet<(Side, u32)>>,
}

/// What a deciding key would act on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stage {
    /// The mode's name.
    pub mode: &'static str,
    /// The part with the focus.
    pub focus: Focus,
    /// The selected row.
    pub selected: Option<Row>,
    /// The row or page inside the mode (menu row, oracle of the trust page).
    pub detail: String,
}

/// What the keys mean (screens.md, section 6). One enum that carries its data.
#[derive(Debug)]
pub enum Mode {
    /// The lists.
    Browse,
    /// After `o`, `M` or `'`.
    Prefix(char),
    /// Typing a search.
    Search(Box<Field>),
    /// A search is shown: the words, the hits' rows, which one.
    Matches {
        /// What was typed.
        words: String,
        /// Rows that hit, by number in the focused part.
        hits: Vec<usize>,
        /// The current one.
        at: usize,
    },
    /// A note that ends in an act.
    Note(Box<Note>),
    /// The evidence picker of a criterion.
    Picker(Box<Picker>),
    /// All permits of the selected item.
    Rulings(usize),
    /// Files that could be the contract: the row under the cursor.
    Contracts(usize),
    /// Formats that the contract could be read as: the row under the cursor.
    Formats(usize),
    /// A question with named letters.
    Confirm(Confirm),
    /// The trust page of one oracle.
    Trust(Box<TrustPage>),
    /// The page that offers to carry decisions over.
    Carry(Box<CarryPage>),
    /// Sign-off, first page.
    SignOne(Box<SignOff>),
    /// Sign-off, what is written into files; only when something is.
    SignEdits(Box<SignOff>),
    /// Sign-off, last page.
    SignTwo(Box<SignOff>),
    /// The key table: first visible row.
    Help(usize),
    /// The bytes of what is selected: first visible row.
    Inspect(usize),
    /// Commands by name.
    Palette(Box<Palette>),
}

impl Mode {
    /// Where the keys are looked up, in this order.
    #[must_use]
    pub fn contexts(&self) -> &'static [Context] {
        match self {
            Self::Browse | Self::Matches { .. } => {
                &[Context::Browse, Context::Moves, Context::Always]
            }
            Self::Prefix(_) => &[Context::Open, Context::Always],
            Self::Search(_) => &[Context::Search, Context::Always],
            Self::Note(_) | Self::SignOne(_) => &[Context::Note, Context::Always],
            Self::Picker(_) => &[Context::Picker, Context::Moves, Context::Always],
            Self::Rulings(_)
            | Self::Contracts(_)
            | Self::Formats(_)
            | Self::Help(_)
            | Self::Inspect(_) => &[Context::Menu, Context::Moves, Context::Always],
            Self::Confirm(_) => &[Context::Confirm, Context::Always],
            Self::Trust(_) => &[Context::Trust, Context::Moves, Context::Always],
            Self::Carry(_) => &[Context::Carry, Context::Moves, Context::Always],
            Self::SignEdits(_) => &[Context::Sign, Context::Moves, Context::Always],
            Self::SignTwo(_) => &[Context::Sign, Context::Always],
            Self::Palette(_) => &[Context::Palette, Context::Always],
        }
    }

    /// Whether it asks for the person's name.
    #[must_use]
    pub fn asks_who(&self) -> bool {
        matches!(self, Self::Confirm(Confirm::Who))
    }

    /// Its name in the table of modes.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Browse => "browse",
            Self::Prefix(_) => "prefix",
            Self::Search(_) => "search",
            Self::Matches { .. } => "matches",
            Self::Note(_) => "note",
            Self::Picker(_) => "picker",
            Self::Rulings(_) => "rulings",
            Self::Contracts(_) => "contracts",
            Self::Formats(_) => "formats",
            Self::Confirm(_) => "confirm",
            Self::Trust(_) => "trust",
            Self::Carry(_) => "carry",
            Self::SignOne(_) => "sign 1",
            Self::SignEdits(_) => "sign edits",
            Self::SignTwo(_) => "sign 2",
            Self::Help(_) => "help",
            Self::Inspect(_) => "inspect",
            Self::Palette(_) => "palette",
        }
    }
}

/// One line of typed text.
#[derive(Debug)]
pub struct Field(pub TextArea<'static>);

/// A note.
#[derive(Debug)]
pub struct Note {
    /// About what.
    pub subject: Subject,
    /// Which verb it ends in.
    pub verb: Verb,
    /// What it will do.
    pub kind: NoteKind,
    /// The texts; one or two.
    pub fields: Vec<(&'static str, TextArea<'static>)>,
    /// Which field has the cursor.
    pub at: usize,
    /// Whether the cause row has the cursor instead.
    pub on_cause: bool,
    /// For kick-backs.
    pub cause: Cause,
    /// The head it was written for, 7 digits.
    pub head: String,
}

/// What a note ends in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(
    missing_docs,
    reason = "each is the act of the same name in gate::decide"
)]
pub enum NoteKind {
    KickBack,
    Abandon,
    AcceptPartial,
    Lift,
    AcceptEdit,
    RatifyUnseen,
    NotApplicable,
    Override,
    ScopeDecline,
    ScopeTicket,
    ScopeEscalate,
    ChainClosed,
    ChainAccepted,
    Addressed,
    NotActionable,
    ThreadTicket,
    Tag,
    WaiverHolds,
    WaiverRefused,
    /// Words to a gate message; what they mean decides what they do.
    Reply,
    /// The person's own words as evidence of a manual criterion; picked, not decided.
    Rationale,
}

/// The evidence picker.
#[derive(Debug)]
pub struct Picker {
    /// For which criterion.
    pub criterion: CriterionId,
    /// What can be picked.
    pub candidates: Vec<Candidate>,
    /// The row under the cursor.
    pub at: usize,
    /// Marked rows.
    pub marked: BTreeSet<usize>,
}

/// One candidate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// What it would be.
    pub evidence: Option<Evidence>,
    /// The hunk that it shows.
    pub place: Option<(RepoPath, Hunk)>,
    /// In words.
    pub says: String,
    /// `ok`, `weak`, `refused`, or `words` for the person's own.
    pub grade: &'static str,
    /// Why.
    pub why: String,
}

/// A question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Confirm {
    /// `r` is locked; Enter shows, Ctrl-r goes on unseen.
    Lock(Subject),
    /// Leave while something is owed or drafted.
    Leave,
    /// Whether the person is who they would be recorded as; asked once on a machine (A11).
    Who,
    /// `Ctrl-r` where nothing is unseen: no note opens, and what is typed next must not act.
    Seen(Subject),
    /// A ratify rests on weak evidence: read it again.
    Weak(Subject),
    /// A reply as it would be recorded and delivered.
    Reply(Box<Replying>),
}

/// A reply that is shown before it is given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replying {
    /// To which message.
    pub subject: Subject,
    /// What it is.
    pub given: Given,
    /// Drafts whose text it carries.
    pub drafts: Vec<String>,
}

/// The trust page.
#[derive(Debug)]
pub struct TrustPage {
    /// Which one.
    pub criterion: CriterionId,
    /// The card, once it came.
    pub card: Option<TrustCard>,
    /// First visible row.
    pub top: usize,
    /// Rows that were on screen (0-based, of the composed page).
    pub seen: BTreeSet<usize>,
    /// All rows of the page; 0 until it was composed.
    pub total: usize,
    /// When the last missing row came on screen (monotonic ms).
    pub complete_ms: Option<u64>,
    /// Criteria after this one that wait for trust.
    pub rest: Vec<CriterionId>,
}

/// The page that offers to carry decisions over.
#[derive(Debug, Default)]
pub struct CarryPage {
    /// The offers that the rows seen are of.
    pub offers: Vec<Offer>,
    /// First visible row.
    pub top: usize,
    /// The row under the cursor.
    pub at: usize,
    /// Rows that were on screen (0-based, of the composed page).
    pub seen: BTreeSet<usize>,
    /// All rows of the page; 0 until it was composed.
    pub total: usize,
    /// When the last missing row came on screen (monotonic ms).
    pub complete_ms: Option<u64>,
    /// Offered decisions that the person leaves out.
    pub out: BTreeSet<EntryId>,
}

/// Decisions that are being carried over, and what was answered of the offers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Carrying {
    /// Entries that wait for their turn, in order.
    pub queue: Vec<EntryId>,
    /// How many of this act are recorded.
    pub done: usize,
    /// How many this act is of.
    pub all: usize,
    /// What was offered when the page was left last.
    pub answered: Vec<EntryId>,
    /// Whether the page was left once since the change was read.
    pub closed: bool,
}

/// The sign-off.
#[derive(Debug)]
pub struct SignOff {
    /// The verdict to sign.
    pub verdict: Verdict,
    /// Root cause class.
    pub root_cause: Option<RootCause>,
    /// The strongest remaining attack.
    pub attack: TextArea<'static>,
    /// Which field has the cursor: 0 class, 1 attack.
    pub at: usize,
    /// Typed digits of the head.
    pub typed: String,
    /// What is written into files; `None` when nothing was switched on.
    pub writes: Option<Writes>,
}

impl Default for SignOff {
    fn default() -> Self {
        Self {
            verdict: Verdict::Undecided,
            root_cause: None,
            attack: TextArea::default(),
            at: 0,
            typed: String::new(),
            writes: None,
        }
    }
}

/// What signing writes, as it was worked out and as far as it was on screen.
#[derive(Debug, Default)]
pub struct Writes {
    /// The answer, once it came.
    pub plan: Option<Result<EditPlan, Trouble>>,
    /// First visible row of its page.
    pub top: usize,
    /// Rows that were on screen (0-based, of the composed page).
    pub seen: BTreeSet<usize>,
    /// All rows of the page; 0 until it was composed with the answer.
    pub total: usize,
    /// When the last missing row came on screen (monotonic ms).
    pub complete_ms: Option<u64>,
}

/// The palette.
#[derive(Debug)]
pub struct Palette {
    /// What was typed.
    pub input: TextArea<'static>,
    /// Selected row.
    pub at: usize,
}

/// The status row.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Status {
    /// What just happened, a whole sentence or fragment of section 5 of the screens.
    pub says: String,
    /// Whether it is a refusal.
    pub refusal: bool,
}

/// Size, focus, time.
#[derive(Clone, Debug)]
pub struct ScreenFacts {
    /// Columns and rows.
    pub size: (u16, u16),
    /// Monotonic milliseconds.
    pub now_ms: u64,
    /// Deciding keys are dropped until this time (focus regained, redraw).
    pub deaf_until_ms: u64,
    /// Whether the terminal has the focus.
    pub focused: bool,
    /// Glyphs in ASCII.
    pub ascii: bool,
    /// Mouse on.
    pub mouse: bool,
    /// Whether pages are printed as lines: keys of the screen are not named on them.
    pub plain: bool,
}

/// Tickets.
#[derive(Clone, Debug, Default)]
pub struct Waiting {
    /// The next one.
    pub next: Ticket,
    /// Those waited for, with what they are for.
    pub open: BTreeMap<Ticket, Purpose>,
}

/// What a question is for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// The change itself; stays open while its files stream.
    Open,
    /// Hunks of a file.
    Hunks(RepoPath),
    /// Lines of a file.
    Text(RepoPath, Side),
    /// Lines of a stored output.
    Output(Digest),
    /// A trust card.
    TrustCard(CriterionId),
    /// Storing an approval; `true` runs the oracle afterwards.
    Trust(CriterionId, bool),
    /// A decision, an undo or a ruling: nothing else is decided until it is answered. The
    /// drafts whose text it carries.
    Record(Vec<String>),
    /// What the chosen edits come to.
    Plan,
    /// The hand-off.
    HandOff,
    /// The editor.
    Editor,
    /// A seal: nobody leaves or decides before it is there, or is not.
    Seal,
}

impl World {
    /// Whether nothing of the opening is awaited any more: the facts and all files came, or why
    /// they cannot.
    #[must_use]
    pub fn settled(&self) -> bool {
        self.trouble.is_some()
            || self.dossier.as_ref().is_some_and(|dossier| {
                // without a contract there is no scope to wait for
                let none = dossier.contract.known().is_none() && dossier.files.known().is_some();
                none || dossier.scope.known().is_some() || !dossier.scope.is_unknown()
            })
    }
}

impl State {
    /// Whether no hunks and no lines are awaited.
    #[must_use]
    pub fn diff_settled(&self) -> bool {
        let diff = |what: &Purpose| matches!(what, Purpose::Hunks(_) | Purpose::Text(..));
        !self.waiting.open.values().any(diff)
    }
}

impl Waiting {
    /// Whether an approval is on its way to the disk.
    #[must_use]
    pub fn trusting(&self) -> bool {
        let trust = |what: &Purpose| matches!(what, Purpose::Trust(..));
        self.open.values().any(trust)
    }

    /// Whether an act of the person is on its way to the disk.
    #[must_use]
    pub fn recording(&self) -> bool {
        self.open
            .values()
            .any(|what| matches!(what, Purpose::Record(_) | Purpose::Seal))
    }
}

/// Items of one pane, in order.
pub fn items_of(
    judgment: &Judgment,
    pane: Pane,
) -> impl Iterator<Item = &crate::gate::judge::Item> {
    judgment.items.iter().filter(move |item| item.pane == pane)
}
