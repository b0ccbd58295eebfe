//! CLARIFICATIONS in its real forms: one block for each question, bullet or tagged line.

use crate::model::contract::Block;
use crate::model::text::Foreign;

use super::lines::{Line, list_marker};
use super::marks;

/// The items of the section: a bullet, a question, a tag in brackets or a paragraph starts one;
/// an answer on a line of its own stays with its question.
pub(super) fn items(bytes: &[u8], lines: &[&Line<'_>]) -> Vec<Block> {
    let mut ranges: Vec<(&Line<'_>, &Line<'_>)> = Vec::new();
    let mut gap = true;
    for line in lines {
        if line.is_blank() {
            gap = true;
            continue;
        }
        let fresh = starts(line) || (gap && line.indent() < 2 && !is_answer(line));
        match ranges.last_mut() {
            Some((_, last)) if !fresh => *last = line,
            _ => ranges.push((line, line)),
        }
        gap = false;
    }
    ranges
        .into_iter()
        .map(|(first, last)| {
            let text = bytes.get(first.start..last.end).unwrap_or_default();
            Block {
                text: Foreign::new(text.trim_ascii()),
                line: first.no,
                end_line: last.no,
                gated: marks::gated(&String::from_utf8_lossy(text), first.no),
            }
        })
        .collect()
}

fn starts(line: &Line<'_>) -> bool {
    line.indent() < 2
        && (list_marker(line.raw.get(line.lead()..).unwrap_or_default()).is_some()
            || line.trimmed().starts_with(['[', '#'])
            || is_question(line.trimmed()))
}

fn is_answer(line: &Line<'_>) -> bool {
    letter(line.trimmed(), 'A')
}

/// Whether this text asks: `Q:`, `Q1:`, `Q (r2):`, a bullet or tag before it.
pub(super) fn is_question(text: &str) -> bool {
    let mut rest = text.trim_start_matches(['-', '*', '+', ' ']);
    if let Some(after) = rest.strip_prefix('[') {
        rest = after.split_once(']').map_or("", |(_, rest)| rest);
    }
    letter(rest.trim_start_matches([' ', '*']), 'Q')
}

fn letter(text: &str, letter: char) -> bool {
    let Some(rest) = text.strip_prefix(letter) else {
        return false;
    };
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = rest.trim_start();
    let rest = match rest.strip_prefix('(') {
        Some(inner) => inner.split_once(')').map_or("", |(_, rest)| rest),
        None => rest,
    };
    rest.trim_start_matches(['*', ' ']).starts_with(':')
}

/// How many questions a section asks; several may stand in one block.
pub fn questions(blocks: &[Block]) -> usize {
    blocks
        .iter()
        .flat_map(|block| {
            String::from_utf8_lossy(block.text.raw())
                .lines()
                .map(|line| is_question(line.trim()))
                .collect::<Vec<_>>()
        })
        .filter(|asks| *asks)
        .count()
}
