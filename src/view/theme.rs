//! From roles to looks: themes are tables in TOML, one for each depth of colour.
//!
//! Nothing outside this file and the tables in `assets/themes` names a colour. A look adds to
//! the terminal's own ground; only grounds, changed words and marks set a background.

use std::collections::BTreeMap;

use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;

use crate::app::row::{CodeRole, Ground, Role};

/// The themes that come with the program: name and table.
pub const BUILTIN: [(&str, &str); 4] = [
    ("dark", include_str!("../../assets/themes/dark.toml")),
    ("light", include_str!("../../assets/themes/light.toml")),
    ("mono", include_str!("../../assets/themes/mono.toml")),
    ("probe", include_str!("../../assets/themes/probe.toml")),
];

/// Every role with its name in a theme's table, in the order of the documentation.
pub const ROLES: [(Role, &str); 20] = [
    (Role::Text, "text"),
    (Role::Strong, "strong"),
    (Role::Muted, "muted"),
    (Role::Accent, "accent"),
    (Role::Good, "good"),
    (Role::Bad, "bad"),
    (Role::Warn, "warn"),
    (Role::Moved, "moved"),
    (Role::Foreign, "foreign"),
    (Role::Match, "match"),
    (Role::WordAdded, "word-added"),
    (Role::WordRemoved, "word-removed"),
    (Role::Code(CodeRole::Comment), "code-comment"),
    (Role::Code(CodeRole::String), "code-string"),
    (Role::Code(CodeRole::Number), "code-number"),
    (Role::Code(CodeRole::Keyword), "code-keyword"),
    (Role::Code(CodeRole::Type), "code-type"),
    (Role::Code(CodeRole::Function), "code-function"),
    (Role::Code(CodeRole::Constant), "code-constant"),
    (Role::Code(CodeRole::Punctuation), "code-punctuation"),
];

/// Every ground with its name in a theme's table.
pub const GROUNDS: [(Ground, &str); 4] = [
    (Ground::Plain, "ground"),
    (Ground::Selected, "ground-selected"),
    (Ground::Added, "ground-added"),
    (Ground::Removed, "ground-removed"),
];

/// How many colours the terminal has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// 24 bits.
    True,
    /// 256.
    Indexed,
    /// 16.
    Ansi,
    /// None, or none wanted (`NO_COLOR`).
    Mono,
}

/// A theme at one depth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Theme {
    roles: [Style; ROLES.len()],
    grounds: [Style; GROUNDS.len()],
}

/// A look as a table writes it.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Look {
    fg: Option<String>,
    bg: Option<String>,
    bold: bool,
    underline: bool,
    italic: bool,
    reverse: bool,
}

/// The three tables of a theme file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tables {
    truecolor: BTreeMap<String, Look>,
    ansi16: BTreeMap<String, Look>,
    mono: BTreeMap<String, Look>,
}

impl Theme {
    /// A theme that comes with the program.
    #[must_use]
    pub fn builtin(name: &str, depth: Depth) -> Option<Self> {
        let (_, text) = BUILTIN.iter().find(|(known, _)| *known == name)?;
        Self::parse(text, depth).ok()
    }

    /// The terminal's own look for everything: what remains when a theme cannot be read.
    #[must_use]
    pub fn plain() -> Self {
        Self {
            roles: [Style::new(); ROLES.len()],
            grounds: [Style::new(); GROUNDS.len()],
        }
    }

    /// Reads a theme. A role that a table leaves out has the terminal's own look.
    ///
    /// # Errors
    /// Everything that is wrong, one line each: a broken table, a name that is no role, a colour
    /// that is none.
    pub fn parse(text: &str, depth: Depth) -> Result<Self, Vec<String>> {
        let tables: Tables = toml::from_str(text).map_err(|error| vec![error.to_string()])?;
        let mut wrong = Vec::new();
        for (name, table) in [
            ("truecolor", &tables.truecolor),
            ("ansi16", &tables.ansi16),
            ("mono", &tables.mono),
        ] {
            check(name, table, &mut wrong);
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let table = match depth {
            Depth::True | Depth::Indexed => &tables.truecolor,
            Depth::Ansi => &tables.ansi16,
            Depth::Mono => &tables.mono,
        };
        let look = |name: &str| {
            table
                .get(name)
                .map_or_else(Style::new, |look| style(look, depth))
        };
        Ok(Self {
            roles: ROLES.map(|(_, name)| look(name)),
            grounds: GROUNDS.map(|(_, name)| look(name)),
        })
    }

    /// The look of a role on the terminal's own ground.
    #[must_use]
    pub fn role(&self, role: Role) -> Style {
        let at = ROLES.iter().position(|(known, _)| *known == role);
        at.and_then(|at| self.roles.get(at))
            .copied()
            .unwrap_or_default()
    }

    /// The look of a ground.
    #[must_use]
    pub fn ground(&self, ground: Ground) -> Style {
        let at = GROUNDS.iter().position(|(known, _)| *known == ground);
        at.and_then(|at| self.grounds.get(at))
            .copied()
            .unwrap_or_default()
    }

    /// The look of a role on a ground.
    #[must_use]
    pub fn on(&self, ground: Ground, role: Role) -> Style {
        self.ground(ground).patch(self.role(role))
    }
}

fn check(table: &str, looks: &BTreeMap<String, Look>, wrong: &mut Vec<String>) {
    for (name, look) in looks {
        let role = ROLES.iter().any(|(_, known)| known == name);
        let ground = GROUNDS.iter().any(|(_, known)| known == name);
        if !role && !ground {
            wrong.push(format!("{table}.{name}: no such role"));
        }
        for text in [&look.fg, &look.bg].into_iter().flatten() {
            if color(text).is_none() {
                wrong.push(format!("{table}.{name}: {text:?} is no color"));
            }
        }
    }
}

fn style(look: &Look, depth: Depth) -> Style {
    let mut style = Style::new();
    let shade = |text: &Option<String>| {
        let color = text.as_deref().and_then(color)?;
        Some(if depth == Depth::Indexed {
            indexed(color)
        } else {
            color
        })
    };
    if let Some(fg) = shade(&look.fg) {
        style = style.fg(fg);
    }
    if let Some(bg) = shade(&look.bg) {
        style = style.bg(bg);
    }
    for (wanted, modifier) in [
        (look.bold, Modifier::BOLD),
        (look.underline, Modifier::UNDERLINED),
        (look.italic, Modifier::ITALIC),
        (look.reverse, Modifier::REVERSED),
    ] {
        if wanted {
            style = style.add_modifier(modifier);
        }
    }
    style
}

/// The names of the sixteen colours, in their order.
const SIXTEEN: [&str; 16] = [
    "black",
    "red",
    "green",
    "yellow",
    "blue",
    "magenta",
    "cyan",
    "white",
    "bright-black",
    "bright-red",
    "bright-green",
    "bright-yellow",
    "bright-blue",
    "bright-magenta",
    "bright-cyan",
    "bright-white",
];

/// `#rrggbb`, one of the sixteen names, or a number up to 255.
fn color(text: &str) -> Option<Color> {
    if let Some(hex) = text.strip_prefix('#') {
        let plain = hex.len() == 6 && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
        let value = u32::from_str_radix(hex, 16).ok().filter(|_| plain)?;
        let [_, red, green, blue] = value.to_be_bytes();
        return Some(Color::Rgb(red, green, blue));
    }
    if let Some(at) = SIXTEEN.iter().position(|name| *name == text) {
        return u8::try_from(at).ok().map(Color::Indexed);
    }
    text.parse().ok().map(Color::Indexed)
}

/// The nearest of the 216 colours of the cube and the 24 greys.
fn indexed(color: Color) -> Color {
    let Color::Rgb(red, green, blue) = color else {
        return color;
    };
    let step = |value: u8| -> (u8, i32) {
        let levels = [0, 95, 135, 175, 215, 255];
        (0..6u8)
            .zip(levels)
            .min_by_key(|(_, level)| (level - i32::from(value)).abs())
            .unwrap_or((0, 0))
    };
    let away = |r: i32, g: i32, b: i32| {
        (r - i32::from(red)).pow(2) + (g - i32::from(green)).pow(2) + (b - i32::from(blue)).pow(2)
    };
    let ((r, rl), (g, gl), (b, bl)) = (step(red), step(green), step(blue));
    let cube = (away(rl, gl, bl), 16 + 36 * r + 6 * g + b);
    let grey = (0..24u8)
        .map(|at| {
            let level = 8 + 10 * i32::from(at);
            (away(level, level, level), 232 + at)
        })
        .min()
        .unwrap_or(cube);
    Color::Indexed(cube.min(grey).1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn luminance(color: Color) -> f64 {
        let Color::Rgb(r, g, b) = color else {
            panic!("not a truecolor: {color:?}")
        };
        let linear = |value: u8| {
            let value = f64::from(value) / 255.0;
            if value <= 0.039_28 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
    }

    fn contrast(one: Color, other: Color) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    fn rgb(text: &str) -> Color {
        color(text).expect("a color")
    }

    #[test]
    fn every_theme_reads_at_every_depth_and_names_every_role() {
        for (name, text) in BUILTIN {
            for depth in [Depth::True, Depth::Indexed, Depth::Ansi, Depth::Mono] {
                assert!(Theme::parse(text, depth).is_ok(), "{name} {depth:?}");
            }
            for (_, role) in ROLES {
                assert!(text.contains(&format!("\n{role} = ")), "{name}: {role}");
            }
        }
    }

    #[test]
    fn text_that_is_read_keeps_its_contrast_on_every_ground() {
        let grounds = [
            (
                "dark",
                ["#000000", "#16181d", "#282c34"].as_slice(),
                "#e6e6e6",
            ),
            ("light", ["#ffffff", "#fdf6e3"].as_slice(), "#1f2328"),
        ];
        for (name, own, text) in grounds {
            let theme = Theme::builtin(name, Depth::True).expect("built in");
            let mut all: Vec<Color> = own.iter().map(|hex| rgb(hex)).collect();
            all.extend(
                GROUNDS
                    .iter()
                    .filter_map(|(ground, _)| theme.ground(*ground).bg),
            );
            for (role, word) in ROLES {
                let look = theme.role(role);
                let fg = look.fg.unwrap_or(rgb(text));
                let under = look.bg.map_or_else(|| all.clone(), |bg| vec![bg]);
                for bg in under {
                    let ratio = contrast(fg, bg);
                    assert!(ratio >= 4.5, "{name}: {word} on {bg:?} is {ratio:.2}");
                }
            }
        }
    }

    #[test]
    fn without_color_no_theme_has_one() {
        for (name, _) in BUILTIN.iter().filter(|(name, _)| *name != "probe") {
            let theme = Theme::builtin(name, Depth::Mono).expect("built in");
            for style in theme.roles.iter().chain(&theme.grounds) {
                assert_eq!((style.fg, style.bg), (None, None), "{name}");
            }
            let selected = theme.ground(Ground::Selected);
            assert!(selected.add_modifier.contains(Modifier::BOLD), "{name}");
        }
    }

    #[test]
    fn a_broken_theme_says_everything_that_is_wrong() {
        let text = "[truecolor]\nloud = {}\ntext = { fg = \"mauve\" }\n[ansi16]\n[mono]\n";
        let wrong = Theme::parse(text, Depth::True).expect_err("wrong");
        assert_eq!(wrong.len(), 2, "{wrong:?}");
        assert!(wrong.iter().any(|line| line.contains("loud")), "{wrong:?}");
        assert!(wrong.iter().any(|line| line.contains("mauve")), "{wrong:?}");
    }

    #[test]
    fn colors_fall_to_the_nearest_of_256() {
        for (hex, at) in [
            ("#000000", 16),
            ("#ffffff", 231),
            ("#ff0000", 196),
            ("#7cc4ff", 117),
        ] {
            assert_eq!(indexed(rgb(hex)), Color::Indexed(at), "{hex}");
        }
    }
}
