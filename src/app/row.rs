//! Rows of the screen as roles and text. Code names a [`Role`]; themes map roles to looks.

use unicode_segmentation::UnicodeSegmentation as _;

use crate::model::text::{Shown, clusters};

/// What a piece of text says (screens.md, visual language). Never a colour.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// Read this.
    Text,
    /// Titles, unseen rows.
    Strong,
    /// Chrome, units, decided rows.
    Muted,
    /// Focus, selection mark, keys, claims.
    Accent,
    /// Ratified, closed.
    Good,
    /// Failing, kicked back, tampered.
    Bad,
    /// Weak, locked, waits for a ruling.
    Warn,
    /// Stale, carried.
    Moved,
    /// Our mark for a hidden character; content can never get it.
    Foreign,
    /// A search hit.
    Match,
    /// A changed word in an added line.
    WordAdded,
    /// A changed word in a removed line.
    WordRemoved,
    /// Highlighted code, by kind of token.
    Code(CodeRole),
}

/// Kinds of tokens in highlighted code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "each variant is the name of a kind of token")]
pub enum CodeRole {
    Comment,
    String,
    Number,
    Keyword,
    Type,
    Function,
    Constant,
    Punctuation,
}

/// The ground that a row stands on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Ground {
    /// The terminal's own.
    #[default]
    Plain,
    /// The row that the keys act on.
    Selected,
    /// A line only at head.
    Added,
    /// A line only at base.
    Removed,
}

/// A run of text in one role. Built from our own words or from
/// [`Foreign`](crate::model::text::Foreign) text that was made visible, never from raw text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Span {
    /// Printable text.
    pub text: String,
    /// What it says.
    pub role: Role,
}

/// One row.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Row {
    /// From the left.
    pub left: Vec<Span>,
    /// Against the right edge; it is never cut, `left` gives way.
    pub right: Vec<Span>,
    /// What it stands on.
    pub ground: Ground,
    /// Labels of what this row shows of the deciding evidence (`CHECK`, `line 210`). A label
    /// counts as shown when every row that carries it is on screen.
    pub decides: Vec<String>,
    /// Whether something of it is not there (its text has not come, or was cut): then its labels
    /// do not count as shown.
    pub partial: bool,
}

impl Span {
    /// Our own words.
    #[must_use]
    pub fn ours(text: impl Into<String>, role: Role) -> Self {
        Self {
            text: text.into(),
            role,
        }
    }
}

impl Row {
    /// A row of our own words in one role.
    #[must_use]
    pub fn ours(text: impl Into<String>, role: Role) -> Self {
        Self::default().and(text, role)
    }

    /// Appends our own words.
    #[must_use]
    pub fn and(mut self, text: impl Into<String>, role: Role) -> Self {
        self.left.push(Span::ours(text, role));
        self
    }

    /// Appends spans.
    #[must_use]
    pub fn spans(mut self, spans: impl IntoIterator<Item = Span>) -> Self {
        self.left.extend(spans);
        self
    }

    /// Appends blanks until the left part is `column` wide (at least one when `gap`).
    #[must_use]
    pub fn to(mut self, column: usize, gap: bool) -> Self {
        let at = width_of(&self.left);
        let blanks = column.saturating_sub(at).max(usize::from(gap));
        if blanks > 0 {
            self.left.push(Span::ours(" ".repeat(blanks), Role::Text));
        }
        self
    }

    /// Our own words at the right edge.
    #[must_use]
    pub fn at_right(mut self, text: impl Into<String>, role: Role) -> Self {
        self.right.push(Span::ours(text, role));
        self
    }

    /// On this ground.
    #[must_use]
    pub fn on(mut self, ground: Ground) -> Self {
        self.ground = ground;
        self
    }

    /// Carries this label of the deciding evidence.
    #[must_use]
    pub fn decides(mut self, label: impl Into<String>) -> Self {
        self.decides.push(label.into());
        self
    }

    /// Appends escaped foreign text; its marks get [`Role::Foreign`].
    pub fn push_shown(&mut self, shown: &Shown, role: Role) {
        for piece in shown.pieces() {
            self.left.push(Span {
                text: piece.text.clone(),
                role: if piece.mark { Role::Foreign } else { role },
            });
        }
    }

    /// The row's text without roles.
    #[must_use]
    pub fn plain(&self) -> String {
        self.left
            .iter()
            .chain(&self.right)
            .map(|span| span.text.as_str())
            .collect()
    }
}

/// Columns of a text: the one width function of the screen (OUT-14).
#[must_use]
pub fn width(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.graphemes(true)
        .map(unicode_width::UnicodeWidthStr::width)
        .sum()
}

/// Columns of a run of spans.
#[must_use]
pub fn width_of(spans: &[Span]) -> usize {
    spans.iter().map(|span| width(&span.text)).sum()
}

/// The first `columns` of the spans; when something is left out, the last column is `…`.
#[must_use]
pub fn cut(spans: &[Span], columns: usize) -> Vec<Span> {
    if width_of(spans) <= columns {
        return spans.to_vec();
    }
    let mut out = take(spans, columns.saturating_sub(1));
    if columns > 0 {
        out.push(Span::ours("…", Role::Muted));
    }
    out
}

/// The first `columns` of the spans, by whole clusters.
#[must_use]
pub fn take(spans: &[Span], columns: usize) -> Vec<Span> {
    let mut out = Vec::new();
    let mut left = columns;
    for span in spans {
        let mut end = 0;
        let mut full = true;
        for (at, cluster) in clusters(&span.text) {
            let wide = width(cluster);
            if wide > left {
                full = false;
                break;
            }
            left -= wide;
            end = at + cluster.len();
        }
        if end > 0 {
            out.push(Span::ours(&span.text[..end], span.role));
        }
        if !full {
            break;
        }
    }
    out
}

/// A path cut in the middle: the file name stays whole while it fits, folders give way.
#[must_use]
pub fn cut_path(spans: &[Span], columns: usize) -> Vec<Span> {
    if width_of(spans) <= columns {
        return spans.to_vec();
    }
    let text: String = spans.iter().map(|span| span.text.as_str()).collect();
    let marked = spans.iter().any(|span| span.role == Role::Foreign);
    let (Some(role), false) = (spans.first().map(|span| span.role), marked) else {
        return cut(spans, columns);
    };
    let Some(slash) = text.rfind('/') else {
        return vec![Span::ours(cut_middle(&text, columns), role)];
    };
    let (folder, name) = text.split_at(slash);
    let room = columns.saturating_sub(width(name) + 1);
    if room == 0 {
        return vec![Span::ours(cut_middle(&text[slash + 1..], columns), role)];
    }
    let first = folder.find('/').map_or(folder, |at| &folder[..=at]);
    let kept = if width(first) <= room {
        first.to_owned()
    } else {
        plain_take(folder, room)
    };
    vec![Span::ours(format!("{kept}…{name}"), role)]
}

/// A single word cut in the middle, its end (and extension) kept.
fn cut_middle(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let back = columns.saturating_sub(1) / 2;
    let front = columns.saturating_sub(1) - back;
    let clusters: Vec<&str> = text.graphemes(true).collect();
    let mut tail = String::new();
    for cluster in clusters.iter().rev() {
        if width(&tail) + width(cluster) > back {
            break;
        }
        tail.insert_str(0, cluster);
    }
    let dots = if columns > 0 { "…" } else { "" };
    format!("{}{dots}{tail}", plain_take(text, front))
}

fn plain_take(text: &str, columns: usize) -> String {
    take(&[Span::ours(text, Role::Text)], columns)
        .into_iter()
        .map(|span| span.text)
        .collect()
}

/// The spans broken into rows of at most `columns`, at blanks where there is one in the second
/// half of a row, else between two clusters. A cluster wider than a row gets a row of its own.
#[must_use]
pub fn wrap(spans: &[Span], columns: usize) -> Vec<Vec<Span>> {
    let columns = columns.max(1);
    if width_of(spans) <= columns {
        let whole: Vec<(&str, Role)> = spans
            .iter()
            .filter(|span| !span.text.is_empty())
            .map(|span| (span.text.as_str(), span.role))
            .collect();
        return vec![joined(&whole)];
    }
    let mut rows = Vec::new();
    let mut row: Vec<(&str, Role)> = Vec::new();
    let mut used = 0;
    let mut blank = None;
    for span in spans {
        for (_, cluster) in clusters(&span.text) {
            let wide = width(cluster);
            if used + wide > columns && !row.is_empty() {
                let at = match blank {
                    Some(at) if at * 2 > row.len() => at,
                    Some(_) | None => row.len(),
                };
                let rest = row.split_off(at);
                rows.push(joined(&row));
                row = rest;
                used = row.iter().map(|(text, _)| width(text)).sum();
                blank = None;
            }
            if cluster == " " && !row.is_empty() {
                blank = Some(row.len());
            }
            row.push((cluster, span.role));
            used += wide;
        }
    }
    if !row.is_empty() || rows.is_empty() {
        rows.push(joined(&row));
    }
    rows
}

/// The same for prose: the blank at which a row was broken is not drawn at the next row's start.
#[must_use]
pub fn wrap_prose(spans: &[Span], columns: usize) -> Vec<Vec<Span>> {
    let mut rows = wrap(spans, columns);
    for row in rows.iter_mut().skip(1) {
        if let Some(first) = row.first_mut()
            && let Some(rest) = first.text.strip_prefix(' ')
        {
            first.text = rest.to_owned();
        }
    }
    rows
}

fn joined(clusters: &[(&str, Role)]) -> Vec<Span> {
    let mut out: Vec<Span> = Vec::new();
    for (text, role) in clusters {
        match out.last_mut() {
            Some(last) if last.role == *role => last.text.push_str(text),
            Some(_) | None => out.push(Span::ours(*text, *role)),
        }
    }
    out
}
