//! What the environment says about the terminal: colors, ground, glyphs. Nothing is asked of the
//! terminal itself (P12); unknown means the plainest answer.

use std::env;

use crate::view::theme::{Depth, Theme};

/// When colors are wanted, as typed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// As the environment says.
    Auto,
    /// Whatever the environment says.
    Always,
    /// Never.
    Never,
}

/// How the screen looks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Looks {
    /// The theme, at the terminal's depth.
    pub theme: Theme,
    /// Whether colors are taken out of every frame.
    pub colorless: bool,
    /// Glyphs in ASCII.
    pub ascii: bool,
}

impl Looks {
    /// The looks for this environment; `glyphs` is `auto`, `unicode` or `ascii`.
    ///
    /// # Errors
    /// The name of a theme that is none.
    pub fn of(named: Option<&str>, glyphs: &str, wanted: Wanted) -> Result<Self, String> {
        let variable = |name: &str| env::var(name).ok();
        let mut looks = Self::from(named, wanted, &variable)?;
        match glyphs {
            "ascii" => looks.ascii = true,
            "unicode" => looks.ascii = false,
            _ => {}
        }
        Ok(looks)
    }

    fn from(
        named: Option<&str>,
        wanted: Wanted,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, String> {
        let said = |name: &str| variable(name).filter(|value| !value.is_empty());
        let colorless = match wanted {
            Wanted::Always => false,
            Wanted::Never => true,
            Wanted::Auto => said("NO_COLOR").is_some() || said("CLICOLOR").as_deref() == Some("0"),
        };
        let depth = if colorless { Depth::Mono } else { depth(&said) };
        let name = named.unwrap_or(if light(said("COLORFGBG").as_deref()) {
            "light"
        } else {
            "dark"
        });
        Ok(Self {
            theme: Theme::builtin(name, depth).ok_or_else(|| name.to_owned())?,
            colorless,
            ascii: ascii(&said),
        })
    }
}

fn depth(said: &dyn Fn(&str) -> Option<String>) -> Depth {
    let term = said("TERM").unwrap_or_default();
    match said("COLORTERM").as_deref() {
        Some("truecolor" | "24bit") => Depth::True,
        _ if term.contains("direct") => Depth::True,
        _ if term.contains("256") => Depth::Indexed,
        _ if term.starts_with("vt") => Depth::Mono,
        _ => Depth::Ansi,
    }
}

/// The last number of `COLORFGBG` is the ground: 7 and 9 to 15 are light ones.
fn light(colors: Option<&str>) -> bool {
    colors
        .and_then(|text| text.rsplit(';').next())
        .and_then(|ground| ground.trim().parse::<u8>().ok())
        .is_some_and(|ground| ground == 7 || (9..=15).contains(&ground))
}

/// Whether the terminal may not show more than ASCII: another locale than UTF-8, or the console.
fn ascii(said: &dyn Fn(&str) -> Option<String>) -> bool {
    let locale = said("LC_ALL")
        .or_else(|| said("LC_CTYPE"))
        .or_else(|| said("LANG"));
    let locale = locale.unwrap_or_default().to_ascii_lowercase();
    let utf8 = locale.contains("utf-8") || locale.contains("utf8");
    !utf8 || said("TERM").as_deref() == Some("linux")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks(pairs: &[(&str, &str)], wanted: Wanted) -> (bool, bool) {
        let variable = |name: &str| {
            let found = pairs.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        match Looks::from(None, wanted, &variable) {
            Ok(looks) => (looks.colorless, looks.ascii),
            Err(name) => panic!("{name} is no theme"),
        }
    }

    #[test]
    fn colors_go_when_the_person_says_so_and_come_when_asked_for() {
        let no_color = [("NO_COLOR", "1"), ("LANG", "C.UTF-8")];
        assert!(looks(&no_color, Wanted::Auto).0);
        assert!(!looks(&no_color, Wanted::Always).0);
        assert!(!looks(&[("NO_COLOR", "")], Wanted::Auto).0);
        assert!(looks(&[], Wanted::Never).0);
        assert!(looks(&[("CLICOLOR", "0")], Wanted::Auto).0);
    }

    #[test]
    fn another_locale_than_utf8_gets_ascii() {
        assert!(!looks(&[("LANG", "de_DE.UTF-8")], Wanted::Auto).1);
        assert!(looks(&[("LANG", "C")], Wanted::Auto).1);
        assert!(looks(&[("LANG", "de_DE.UTF-8"), ("LC_ALL", "C")], Wanted::Auto).1);
        assert!(looks(&[("LANG", "C.UTF-8"), ("TERM", "linux")], Wanted::Auto).1);
    }

    #[test]
    fn the_ground_is_read_from_the_last_number() {
        for (colors, wanted) in [
            ("15;0", false),
            ("0;15", true),
            ("0;default;7", true),
            ("x", false),
        ] {
            assert_eq!(light(Some(colors)), wanted, "{colors}");
        }
        assert!(!light(None));
    }
}
