//! The glyphs of the screen and their ASCII stand-ins, one column for one column.
//!
//! Used with `glyphs = "ascii"`, in a locale that is not UTF-8, and on terminals without a
//! font of their own (`dumb`, `linux`). Foreign text never needs this table: where ASCII is
//! asked for, it was escaped before it became a row.

/// Glyph, stand-in, what it says.
pub const GLYPHS: &[(&str, &str, &str)] = &[
    ("□", "_", "unproven"),
    ("○", "o", "pending: never run, or queued"),
    ("◐", "%", "running"),
    ("✗", "x", "failing"),
    ("●", "@", "passing, not ratified"),
    ("✓", "+", "ratified, closed, acknowledged"),
    ("⇢", "c", "carried from an earlier head"),
    ("~", "~", "stale"),
    ("←", "<", "kicked back"),
    ("⊘", "0", "abandoned"),
    ("⊕", "^", "overridden"),
    ("−", "-", "not applicable"),
    ("▲", "!", "error: could not measure"),
    ("▸", ">", "selected, in the focused pane"),
    ("▹", "-", "selected, in another pane"),
    ("•", "*", "unseen"),
    ("◆", "?", "waits for a ruling, blocks"),
    ("◇", "i", "listed, does not block"),
    ("≠", "#", "the contract itself was edited"),
    ("▎", "|", "claimed by the selected criterion"),
    ("»", "=", "the output line that decides"),
    ("…", ".", "cut or unknown"),
    ("–", "-", "does not apply; closed row of a menu"),
    ("━", "=", "heavy rule: focus"),
    ("─", "-", "thin rule"),
    ("│", "|", "divider"),
    ("█", "#", "progress, done"),
    ("░", ".", "progress, to come"),
    ("▏", "|", "cursor"),
    ("╭", "+", "corner of a box"),
    ("╮", "+", "corner of a box"),
    ("├", "+", "branch of a tree"),
    ("└", "+", "last branch of a tree"),
    ("╰", "+", "corner of a box"),
    ("╯", "+", "corner of a box"),
    ("·", ".", "folded, or between two facts"),
    ("→", ">", "into"),
    ("↑", "^", "up"),
    ("↓", "v", "down"),
];

/// The stand-in of a cluster that is not ASCII; `?` for what the table does not hold.
#[must_use]
pub fn ascii(cluster: &str) -> &'static str {
    GLYPHS
        .iter()
        .find(|(glyph, _, _)| *glyph == cluster)
        .map_or("?", |(_, plain, _)| plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::row::width;

    #[test]
    fn every_glyph_and_stand_in_is_one_column() {
        for (glyph, plain, says) in GLYPHS {
            assert_eq!(width(glyph), 1, "{glyph} ({says})");
            assert_eq!(width(plain), 1, "{plain} ({says})");
            assert!(plain.is_ascii(), "{plain} ({says})");
        }
    }
}
