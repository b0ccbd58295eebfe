//! Lines of at most 79 columns, or of as many as are given, broken at blanks where there are any, never cut.

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

/// Columns of a line.
pub const WIDTH: usize = 79;

/// The text as lines; those after the first begin with `indent` blanks.
#[must_use]
pub fn fold(text: &str, indent: usize) -> Vec<String> {
    fold_to(text, indent, WIDTH)
}

/// The same for lines of `columns`.
#[must_use]
pub fn fold_to(text: &str, indent: usize, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut width = 0;
    for word in text.split_inclusive(' ') {
        let wide = word.width();
        let bare = word.trim_end().width();
        if width + bare <= columns {
            line.push_str(word);
            width += wide;
            continue;
        }
        if bare + indent <= columns {
            turn(&mut lines, &mut line, indent);
            if !word.trim().is_empty() {
                line.push_str(word);
            }
            width = line.width();
            continue;
        }
        for cluster in word.graphemes(true) {
            if width + cluster.width() > columns {
                turn(&mut lines, &mut line, indent);
                width = indent;
            }
            line.push_str(cluster);
            width += cluster.width();
        }
    }
    lines.push(line.trim_end().to_owned());
    lines
}

fn turn(lines: &mut Vec<String>, line: &mut String, indent: usize) {
    let next = " ".repeat(indent);
    lines.push(std::mem::replace(line, next).trim_end().to_owned());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_and_no_line_is_too_long() {
        let texts = [
            "short",
            &"word ".repeat(60),
            &"x".repeat(300),
            &"漢字".repeat(80),
            "",
        ];
        for text in texts {
            let lines = fold(text, 4);
            assert!(lines.iter().all(|line| line.width() <= WIDTH), "{lines:?}");
            let bare = |text: &str| text.split_whitespace().collect::<String>();
            assert_eq!(bare(&lines.join(" ")), bare(text));
        }
    }
}
