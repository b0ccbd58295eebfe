//! A buffer as a picture: an SVG of ours, rendered with a font that is in the repository, so
//! that every machine draws the same.

use std::fmt::Write as _;
use std::sync::{Arc, OnceLock};

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};
use resvg::{tiny_skia, usvg};

const CELL: (f32, f32) = (8.43, 18.0);
const FONT: f32 = 14.0;
const MARGIN: f32 = 12.0;

const REGULAR: &[u8] = include_bytes!("../../../assets/fonts/DejaVuSansMono.ttf");
const BOLD: &[u8] = include_bytes!("../../../assets/fonts/DejaVuSansMono-Bold.ttf");

fn fonts() -> Arc<usvg::fontdb::Database> {
    static FONTS: OnceLock<Arc<usvg::fontdb::Database>> = OnceLock::new();
    FONTS
        .get_or_init(|| {
            let mut fonts = usvg::fontdb::Database::new();
            fonts.load_font_data(REGULAR.to_vec());
            fonts.load_font_data(BOLD.to_vec());
            Arc::new(fonts)
        })
        .clone()
}

/// The picture's bytes.
pub(crate) fn png(buffer: &Buffer, dark: bool) -> Vec<u8> {
    let svg = svg(buffer, dark);
    let options = usvg::Options {
        fontdb: fonts(),
        font_family: "DejaVu Sans Mono".to_owned(),
        ..usvg::Options::default()
    };
    let tree = usvg::Tree::from_str(&svg, &options).expect("our own SVG");
    let size = tree.size().to_int_size();
    let mut pixels = tiny_skia::Pixmap::new(size.width(), size.height()).expect("a picture");
    resvg::render(&tree, tiny_skia::Transform::default(), &mut pixels.as_mut());
    pixels.encode_png().expect("a PNG")
}

fn hex(color: Color, default: &str) -> String {
    match color {
        Color::Rgb(r, g, b) => format!("#{r:02x}{g:02x}{b:02x}"),
        _ => default.to_owned(),
    }
}

fn svg(buffer: &Buffer, dark: bool) -> String {
    let (ground, ink) = if dark {
        ("#16181d", "#e6e8ec")
    } else {
        ("#ffffff", "#1f2328")
    };
    let area = buffer.area;
    let width = f32::from(area.width) * CELL.0 + 2.0 * MARGIN;
    let height = f32::from(area.height) * CELL.1 + 2.0 * MARGIN;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\">\
         <rect width=\"100%\" height=\"100%\" fill=\"{ground}\"/>"
    );
    for y in 0..area.height {
        for x in 0..area.width {
            cell(buffer, x, y, ground, ink, &mut out);
        }
    }
    out.push_str("</svg>");
    out
}

fn cell(buffer: &Buffer, x: u16, y: u16, ground: &str, ink: &str, out: &mut String) {
    let cell = &buffer[(x, y)];
    let (left, top) = (
        f32::from(x) * CELL.0 + MARGIN,
        f32::from(y) * CELL.1 + MARGIN,
    );
    let (mut fg, mut bg) = (hex(cell.fg, ink), hex(cell.bg, ground));
    if cell.modifier.contains(Modifier::REVERSED) {
        std::mem::swap(&mut fg, &mut bg);
    }
    let (w, h) = CELL;
    if bg != ground {
        let w = w + 0.3;
        let _ = write!(
            out,
            "<rect x=\"{left}\" y=\"{top}\" width=\"{w}\" height=\"{h}\" fill=\"{bg}\"/>"
        );
    }
    let symbol = cell.symbol();
    let (mx, my, right, bottom) = (left + w / 2.0, top + h / 2.0, left + w, top + h);
    let stroke = |path: String, wide: f32| {
        format!("<path d=\"{path}\" stroke=\"{fg}\" stroke-width=\"{wide}\" fill=\"none\"/>")
    };
    let line = match symbol {
        "─" => stroke(format!("M{left} {my}H{}", right + 0.2), 1.0),
        "━" => stroke(format!("M{left} {my}H{}", right + 0.2), 2.4),
        "│" => stroke(format!("M{mx} {top}V{bottom}"), 1.0),
        "╭" => stroke(
            format!(
                "M{right} {my}H{} Q{mx} {my} {mx} {}V{bottom}",
                mx + 3.0,
                my + 3.0
            ),
            1.0,
        ),
        "╮" => stroke(
            format!(
                "M{left} {my}H{} Q{mx} {my} {mx} {}V{bottom}",
                mx - 3.0,
                my + 3.0
            ),
            1.0,
        ),
        "╰" => stroke(
            format!(
                "M{right} {my}H{} Q{mx} {my} {mx} {}V{top}",
                mx + 3.0,
                my - 3.0
            ),
            1.0,
        ),
        "╯" => stroke(
            format!(
                "M{left} {my}H{} Q{mx} {my} {mx} {}V{top}",
                mx - 3.0,
                my - 3.0
            ),
            1.0,
        ),
        "▎" => {
            format!("<rect x=\"{left}\" y=\"{top}\" width=\"2.2\" height=\"{h}\" fill=\"{fg}\"/>")
        }
        "█" => format!(
            "<rect x=\"{left}\" y=\"{}\" width=\"{w}\" height=\"{}\" fill=\"{fg}\"/>",
            top + 4.0,
            h - 8.0
        ),
        " " | "" => String::new(),
        _ => glyph(symbol, left, top, &fg, cell.modifier),
    };
    out.push_str(&line);
    if cell.modifier.contains(Modifier::UNDERLINED) {
        let y = bottom - 2.5;
        out.push_str(&stroke(format!("M{left} {y}H{right}"), 1.0));
    }
}

fn glyph(symbol: &str, left: f32, top: f32, fg: &str, modifier: Modifier) -> String {
    let text: String = symbol
        .chars()
        .map(|c| match c {
            '<' => "&lt;".to_owned(),
            '>' => "&gt;".to_owned(),
            '&' => "&amp;".to_owned(),
            '"' => "&quot;".to_owned(),
            c => c.to_string(),
        })
        .collect();
    let weight = if modifier.contains(Modifier::BOLD) {
        " font-weight=\"bold\""
    } else {
        ""
    };
    let y = top + CELL.1 - 4.6;
    format!("<text x=\"{left}\" y=\"{y}\" font-size=\"{FONT}\" fill=\"{fg}\"{weight}>{text}</text>")
}
