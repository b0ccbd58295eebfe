//! Every command as one table: id, words, and where it works. Help, footer, palette, man page
//! and the keymap file are all made from it. It must never know a key: keys are data
//! (`assets/keymap.toml`, read by [`super::keymap`]).

use std::fmt;

/// Where a command listens. A mode reads its keys in one or more of these, in order
/// ([`super::state::Mode::contexts`]); one key means one command in all of them together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Context {
    /// Everywhere, text fields included.
    Always,
    /// Movement in every list, page and menu.
    Moves,
    /// Lists, card, diff, pages.
    Browse,
    /// After the prefix `o`.
    Open,
    /// Notes and the first page of the sign-off.
    Note,
    /// The evidence picker.
    Picker,
    /// The trust page.
    Trust,
    /// The page of carry-over.
    Carry,
    /// Menus and help: `Enter` does it, `Esc` leaves.
    Menu,
    /// Questions with named letters.
    Confirm,
    /// The search field.
    Search,
    /// The palette.
    Palette,
    /// The later pages of the sign-off: what is written, and the typed one.
    Sign,
}

impl Context {
    /// All, in the order of the help page.
    pub const ALL: [Self; 13] = [
        Self::Browse,
        Self::Moves,
        Self::Open,
        Self::Note,
        Self::Picker,
        Self::Trust,
        Self::Carry,
        Self::Menu,
        Self::Confirm,
        Self::Search,
        Self::Palette,
        Self::Sign,
        Self::Always,
    ];

    /// The heading in help.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Always => "everywhere",
            Self::Moves => "moving, in every pane",
            Self::Browse => "lists, card, diff and pages",
            Self::Open => "after o",
            Self::Note => "notes and sign-off texts",
            Self::Picker => "the evidence picker",
            Self::Trust => "the trust page",
            Self::Carry => "the page of carry-over",
            Self::Menu => "menus and help",
            Self::Confirm => "questions",
            Self::Search => "the search field",
            Self::Palette => "the palette",
            Self::Sign => "sign-off, later pages",
        }
    }
}

/// One row of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Which.
    pub command: Command,
    /// Its id in the keymap file and the palette.
    pub id: &'static str,
    /// One or two words for the footer.
    pub label: &'static str,
    /// What it does, a fragment.
    pub does: &'static str,
    /// Where it listens.
    pub contexts: &'static [Context],
}

macro_rules! commands {
    ($($name:ident $id:literal $label:literal $does:literal [$($context:ident)+])+) => {
        /// A command of the person.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Command {
            $(#[doc = $does] $name,)+
        }

        /// The table.
        pub const TABLE: &[Entry] = &[
            $(Entry {
                command: Command::$name,
                id: $id,
                label: $label,
                does: $does,
                contexts: &[$(Context::$context),+],
            },)+
        ];

        impl Command {
            /// Its row of the table.
            #[must_use]
            pub fn entry(self) -> &'static Entry {
                match self {
                    $(Self::$name => const {
                        &Entry {
                            command: Command::$name,
                            id: $id,
                            label: $label,
                            does: $does,
                            contexts: &[$(Context::$context),+],
                        }
                    },)+
                }
            }
        }
    };
}

commands! {
    OwedNext "owed-next" "next owed" "goes to the next thing you owe; the next hit while a search is shown" [Browse Confirm]
    OwedPrev "owed-prev" "previous owed" "goes to the previous thing you owe; the previous hit while a search is shown" [Browse]
    GoIn "go-in" "go in" "goes in: card, whole output, diff, page row" [Browse Picker]
    GoOut "go-out" "back" "goes out one level; never quits, never discards" [Browse Picker Trust Carry Menu Confirm Open]
    Ratify "ratify" "ratify" "affirms the selected item once its evidence was on screen" [Browse Picker Confirm]
    KickBack "kick-back" "kick back" "sends the selected item back to the agent, with your words" [Browse Confirm]
    Abandon "abandon" "abandon" "sets the selected item aside, with a reason" [Browse Confirm]
    RatifyUnseen "ratify-unseen" "ratify unseen" "ratifies without the evidence on screen; asks why, is recorded so" [Browse Confirm]
    Rulings "rulings" "all rulings" "lists everything that can be done to the selected item, closed rows too" [Browse]
    Run "run" "run oracle" "runs the oracle of the selected criterion, or stops it; trust first" [Browse]
    RunAll "run-all" "run all" "runs every oracle that has not run on this tree; trust first" [Browse]
    RunBase "run-base" "run on base" "runs the same oracle on base, where it ought to be red; stops it" [Browse]
    Trust "trust" "trust" "shows what the oracle of the selected criterion would run" [Browse]
    PickEvidence "pick-evidence" "pick evidence" "lists evidence for a criterion without oracle, or files that could be the contract" [Browse]
    Carry "carry" "carry over" "shows which decisions of an earlier head may be carried over; there, carries them" [Browse Carry]
    Undo "undo" "undo" "takes back the last decision of this sitting; itself recorded" [Browse]
    Verdict "verdict" "verdict" "shows the verdict, its rules and its menu" [Browse Confirm]
    Sign "sign" "sign off" "opens the sign-off, which decides nothing yet" [Browse]
    Search "search" "search" "searches the focused pane" [Browse]
    Palette "palette" "command" "lists every command by name" [Browse]
    Help "help" "help" "lists the keys, this pane's first" [Browse]
    ReRead "re-read" "re-read" "reads repository, contract and ledger again" [Browse]
    PaneNext "pane-next" "next pane" "moves the focus to the next part" [Browse]
    PanePrev "pane-prev" "previous pane" "moves the focus to the previous part" [Browse]
    Diff "diff" "diff" "goes to the diff of the selected item" [Browse Trust]
    HunkNext "hunk-next" "next hunk" "goes to the next hunk, or into the diff" [Browse]
    HunkPrev "hunk-prev" "previous hunk" "goes to the previous hunk" [Browse]
    FileNext "file-next" "next file" "shows the diff of the next file" [Browse]
    FilePrev "file-prev" "previous file" "shows the diff of the previous file" [Browse]
    ClaimedNext "claimed-next" "next claimed hunk" "goes to the next hunk that the selected criterion claims" [Browse]
    ClaimedPrev "claimed-prev" "previous claimed hunk" "goes to the previous claimed hunk" [Browse]
    Split "split" "split" "shows the diff side by side, or as one column again; sorts the list" [Browse]
    Wrap "wrap" "wrap" "wraps long lines, or cuts them with a mark" [Browse]
    Fold "fold" "fold" "opens or closes the unchanged lines under the cursor; turns chains into a tree or a table" [Browse]
    MoreContext "more-context" "more context" "shows more lines around each hunk" [Browse]
    LessContext "less-context" "less context" "shows fewer lines around each hunk" [Browse]
    MarkEvidence "mark-evidence" "mark as evidence" "marks the hunk under the cursor as evidence of the selected criterion" [Browse]
    MarkLines "mark-lines" "mark lines" "marks lines of the diff, first then last; a kick-back takes them along" [Browse]
    Inspect "inspect" "inspect" "shows the bytes of hidden and foreign characters, with their offsets" [Browse]
    Editor "editor" "editor" "opens your copy of the file in your editor, at the line" [Browse]
    Filter "filter" "filter" "shows only what is owed, then what holds a word, then everything" [Browse]
    Mark "mark" "set mark" "sets a mark on the selected row; a letter follows" [Browse]
    Jump "jump" "jump to mark" "jumps to a mark; a letter follows" [Browse]
    JumpBack "jump-back" "jump back" "goes back to where you were" [Browse]
    Copy "copy" "copy" "sends the row under the cursor to the terminal's clipboard" [Browse Trust]
    CopyWithPlace "copy-with-place" "copy with place" "copies the row with its file and line" [Browse]
    Open "open" "open" "opens a page: criteria, scope, ledger, output; one key follows" [Browse]
    Leave "leave" "leave" "leaves; asks while something is owed or drafted" [Browse]
    Pane0 "pane-0" "contract" "goes to pane 0, or to row 0 of a numbered menu" [Browse Menu]
    Pane1 "pane-1" "criteria" "goes to pane 1, or to row 1 of a numbered menu" [Browse Menu]
    Pane2 "pane-2" "comments" "goes to pane 2, or to row 2 of a numbered menu" [Browse Menu]
    Pane3 "pane-3" "scope" "goes to pane 3, or to row 3 of a numbered menu" [Browse Menu]
    Pane4 "pane-4" "chains" "goes to pane 4, or to row 4 of a numbered menu" [Browse Menu]
    Pane5 "pane-5" "spec" "goes to pane 5, or to row 5 of a numbered menu" [Browse Menu]
    Pane6 "pane-6" "triage" "goes to pane 6, or to row 6 of a numbered menu" [Browse Menu]
    Pane7 "pane-7" "verdict" "goes to pane 7, or to row 7 of a numbered menu" [Browse Menu]
    Down "down" "down" "moves one row down" [Moves]
    Up "up" "up" "moves one row up" [Moves]
    HalfDown "half-down" "half a page down" "moves half a page down" [Moves]
    HalfUp "half-up" "half a page up" "moves half a page up" [Moves]
    PageDown "page-down" "page down" "moves a page down" [Moves]
    PageUp "page-up" "page up" "moves a page up" [Moves]
    Top "top" "top" "goes to the first row" [Moves]
    Bottom "bottom" "bottom" "goes to the last row" [Moves]
    OpenCriteria "open-criteria" "criteria" "goes to the criteria" [Open]
    OpenScope "open-scope" "scope" "goes to the files outside scope" [Open]
    OpenVerdict "open-verdict" "verdict" "shows the verdict" [Open]
    OpenLedger "open-ledger" "ledger" "shows what is recorded for this change" [Open]
    OpenDiff "open-diff" "diff" "goes to the diff" [Open]
    OpenOutput "open-output" "whole output" "shows the whole output of the last run" [Open]
    OpenFiles "open-files" "files" "goes to the changed files" [Open]
    OpenComments "open-comments" "comments" "goes to the comments" [Open]
    OpenChains "open-chains" "chains" "goes to the chains" [Open]
    OpenSpec "open-spec" "spec" "goes to the spec" [Open]
    OpenTriage "open-triage" "triage" "goes to the gate message" [Open]
    OpenQueue "open-queue" "queue" "lists what agents asserted, across repositories" [Open]
    OpenKickBacks "open-kick-backs" "kick-backs" "shows only what goes back to the agent" [Open]
    OpenFormat "open-format" "format" "reads the contract as another format" [Open]
    OpenGuide "open-guide" "guide" "shows or hides the guide of the sample" [Open]
    NoteDone "note-done" "done" "ends the note and does what its title says" [Note]
    NoteField "note-field" "field" "moves to the next field, or to the causes" [Note]
    NoteFieldBack "note-field-back" "previous field" "moves to the previous field" [Note]
    NoteEditor "note-editor" "editor" "opens the text in your editor" [Note]
    NoteDrop "note-drop" "throw away" "throws the text of the field away, its draft as well" [Note]
    NoteLeave "note-leave" "keep" "leaves; the text is kept as a draft" [Note]
    PickMark "pick-mark" "mark" "marks the candidate under the cursor, or takes the mark away" [Picker]
    TrustRun "trust-run" "trust and run" "approves exactly these bytes and runs them" [Trust]
    TrustLater "trust-later" "trust, run later" "approves exactly these bytes and runs nothing" [Trust]
    TrustNext "trust-next" "next" "shows the next oracle that waits for trust" [Trust]
    CarryMark "carry-mark" "leave out" "leaves the decision under the cursor out, or takes it in again" [Carry]
    MenuDo "menu-do" "do it" "does what the row under the cursor says" [Menu]
    ConfirmShow "confirm-show" "show it" "shows the evidence that has not been on screen" [Confirm]
    ConfirmLeave "confirm-leave" "leave undecided" "says yes: leaves with every decision and draft kept, or confirms your name" [Confirm]
    SearchDone "search-done" "search" "ends typing and goes to the first hit" [Search]
    SearchLeave "search-leave" "cancel" "returns to where you were" [Search]
    SearchOlder "search-older" "older" "brings back what was searched before" [Search]
    PaletteDo "palette-do" "do it" "does the selected command" [Palette]
    PaletteDown "palette-down" "down" "moves one row down" [Palette]
    PaletteUp "palette-up" "up" "moves one row up" [Palette]
    PaletteComplete "palette-complete" "complete" "writes the selected command's name" [Palette]
    PaletteLeave "palette-leave" "cancel" "leaves the palette" [Palette]
    SignNow "sign-now" "sign" "signs, once the typed characters are complete; goes on from the edits" [Sign]
    SignBack "sign-back" "back" "goes back to the first page" [Sign]
    Quit "quit" "leave" "leaves, from wherever you are" [Always]
    Redraw "redraw" "redraw" "draws everything again" [Always]
    Suspend "suspend" "suspend" "stops like any program; fg returns" [Always]
}

impl Command {
    /// The id, as written in the keymap file.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.entry().id
    }

    /// The command with this id.
    #[must_use]
    pub fn parse(id: &str) -> Option<Self> {
        TABLE.iter().find(|row| row.id == id).map(|row| row.command)
    }

    /// Whether a command acts on what is under it.
    #[must_use]
    pub fn decides(self) -> bool {
        matches!(
            self,
            Self::Ratify
                | Self::KickBack
                | Self::Abandon
                | Self::RatifyUnseen
                | Self::Run
                | Self::RunAll
                | Self::RunBase
                | Self::Undo
                | Self::Carry
                | Self::TrustRun
                | Self::TrustLater
                | Self::MenuDo
                | Self::NoteDone
                | Self::PaletteDo
                | Self::ConfirmLeave
                | Self::SignNow
        )
    }

    /// Whether a command acts on the selected item.
    #[must_use]
    pub fn needs_item(self) -> bool {
        matches!(
            self,
            Self::Ratify
                | Self::KickBack
                | Self::Abandon
                | Self::RatifyUnseen
                | Self::Rulings
                | Self::Run
                | Self::RunBase
                | Self::Trust
                | Self::PickEvidence
        )
    }

    /// Whether a held key may repeat it: movement only (screens.md, section 6).
    #[must_use]
    pub fn repeats(self) -> bool {
        matches!(
            self,
            Self::Down
                | Self::Up
                | Self::HalfDown
                | Self::HalfUp
                | Self::PageDown
                | Self::PageUp
                | Self::HunkNext
                | Self::HunkPrev
                | Self::FileNext
                | Self::FilePrev
                | Self::ClaimedNext
                | Self::ClaimedPrev
                | Self::PaletteDown
                | Self::PaletteUp
        )
    }

    /// The pane digit of `pane-0` to `pane-7`.
    #[must_use]
    pub fn digit(self) -> Option<u8> {
        let panes = [
            Self::Pane0,
            Self::Pane1,
            Self::Pane2,
            Self::Pane3,
            Self::Pane4,
            Self::Pane5,
            Self::Pane6,
            Self::Pane7,
        ];
        (0u8..)
            .zip(panes)
            .find(|(_, pane)| *pane == self)
            .map(|(digit, _)| digit)
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn ids_are_unique_and_read_back() {
        let mut seen = BTreeSet::new();
        for row in TABLE {
            assert!(seen.insert(row.id), "{} stands twice", row.id);
            assert_eq!(Command::parse(row.id), Some(row.command));
            assert_eq!(row.command.entry(), row);
            assert!(
                !row.does.is_empty() && !row.does.ends_with('.'),
                "{}",
                row.id
            );
        }
    }
}
