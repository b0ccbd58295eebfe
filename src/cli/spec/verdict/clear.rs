//! What a person says of changes to frozen suites, below the report: whether a part narrows, that
//! a repair failed before it was made, that Clearance is granted, how high the ceiling lies.

use serde_json::{Value, json};

use super::{Desk, commit, confirmed, joined, say, typed};
use crate::adapters::spec::act;
use crate::cli::spec::acts::plain;
use crate::cli::spec::print;
use crate::cli::spec::said::ACT;
use crate::gate::spec::bar::Semver;
use crate::gate::spec::clearance::{Meaning, Proof, Word, of_all, of_part};
use crate::gate::spec::edit_class::{Change, Class, Edit, Route};
use crate::model::id::Digest;
use crate::model::text::Place;

impl Desk<'_> {
    /// Parts of frozen suites that may narrow, in the order of the report.
    fn parts(&self) -> Vec<(&Edit, &Change)> {
        let held = |edit: &&Edit| matches!(edit.class, Class::Narrowing | Class::Mixed);
        let edits = self.facts.edits.iter().filter(held);
        edits
            .flat_map(|edit| edit.changes.iter().map(move |change| (edit, change)))
            .filter(|(_, change)| change.may_narrow())
            .collect()
    }

    /// Lists what can be spoken of, and how.
    pub(super) fn list_parts(&self) {
        let mut open = self.facts.edits.iter();
        if !open.any(|edit| edit.class.route() == Route::Clearance) {
            return;
        }
        if !self.parts().is_empty() {
            say("changed parts of frozen suites:");
        }
        for (number, (edit, change)) in self.parts().iter().enumerate() {
            let means = change.meaning.as_ref();
            let means = means.map_or("unmarked, counts as narrowing", |said| said.is.word());
            let proof = match change.proof.as_ref().map(|said| said.is) {
                Some(Proof::Failed) => ", failed before its repair",
                Some(Proof::Passed) => ", passed before its repair: a suspected back-fit",
                None if edit.repairs().any(|repair| repair == *change) => ", no proof",
                None => "",
            };
            say(format!(
                "{:>2}  {} {} {} in {}: {means}{proof}",
                number + 1,
                change.how.word(),
                change.part,
                change.name.shown(Place::Strict),
                plain(&edit.path),
            ));
        }
        print(&[
            String::from(
                "m N says what part N comes to, p N records that its repair failed before,",
            ),
            String::from("w grants Clearance to the change as it is, l CLASS sets the ceiling"),
        ]);
    }

    fn part(&self, which: &str) -> Result<(&Edit, &Change), String> {
        let at = which.trim().parse::<usize>().ok();
        let at = at.and_then(|n| n.checked_sub(1));
        let part = at.and_then(|at| self.parts().get(at).copied());
        part.ok_or_else(|| String::from("name a changed part by its number"))
    }

    /// Says what a part comes to (H22).
    pub(super) fn mark(&self, which: &str) -> Result<(), String> {
        let (edit, change) = self.part(which)?;
        let says = [
            "it demands less than before",
            "it demands more",
            "it demands the same of more cases",
            "it demands the same in other words",
        ];
        for (number, (is, says)) in Meaning::ALL.iter().zip(says).enumerate() {
            say(format!("{}  {}: {says}", number + 1, is.word()));
        }
        let is = typed("what it is (1 to 4)> ").and_then(|n| n.trim().parse::<usize>().ok());
        let is = is.and_then(|n| Meaning::ALL.get(n.checked_sub(1)?).copied());
        let is = is.ok_or("left as it is: nothing was said")?;
        self.speak(of_part(edit, change), Word::Means(is), Some((edit, change)))
    }

    /// Records how a repaired scenario fared against what was there before.
    pub(super) fn prove(&self, which: &str) -> Result<(), String> {
        let (edit, change) = self.part(which)?;
        if change.part != "scenario" || change.new_line.is_none() || change.old_line.is_none() {
            return Err(String::from(
                "only a scenario that was repaired has a proof",
            ));
        }
        print(&[
            String::from("run the repaired scenario against what was there before the repair"),
            String::from("1  failed: as it must"),
            String::from("2  passed: a suspected back-fit, it closes approving"),
        ]);
        let is = match typed("it (1 or 2)> ").as_deref().map(str::trim) {
            Some("1") => Proof::Failed,
            Some("2") => Proof::Passed,
            _ => return Err(String::from("left as it is: nothing was said")),
        };
        self.speak(
            of_part(edit, change),
            Word::Proved(is),
            Some((edit, change)),
        )
    }

    /// Allows the narrowings of the change as it is (H19).
    pub(super) fn grant(&self) -> Result<(), String> {
        let mut held = self.facts.edits.iter();
        if !held.any(|edit| edit.route() == Route::Clearance) {
            return Err(String::from("nothing needs Clearance"));
        }
        self.speak(of_all(&self.facts.edits), Word::Granted, None)
    }

    /// Sets the ceiling of the change as it is (H19).
    pub(super) fn ceiling(&self, word: &str) -> Result<(), String> {
        let class = Semver::parse(word.trim()).ok_or("name patch, minor or major")?;
        self.speak(of_all(&self.facts.edits), Word::Ceiling(class), None)
    }

    /// Asks for the words and the challenge, and writes the line into a shard of our own.
    fn speak(
        &self,
        binds: Digest,
        word: Word,
        part: Option<(&Edit, &Change)>,
    ) -> Result<(), String> {
        let root = self.root()?;
        let path = joined(&root.dir, b"spec.md");
        let (bytes, _) = self.shown(&path)?;
        // the suites that are spoken of must still be what was shown
        for suite in self.suites() {
            self.shown(&suite)?;
        }
        let asks = match word {
            Word::Proved(_) => "how that was seen> ",
            Word::Means(_) | Word::Granted | Word::Ceiling(_) => "why> ",
        };
        let why = typed(asks).unwrap_or_default();
        if why.trim().is_empty() {
            return Err(String::from("left as it is: it needs its words"));
        }
        let (what, is) = word.fields();
        let mut more: Vec<(&str, Value)> = vec![("act", json!(what))];
        if let Some(is) = is {
            more.push(("is", json!(is)));
        }
        if let Some((edit, change)) = part {
            let text = |of: &crate::model::text::Foreign| json!(of.shown(Place::Strict).plain());
            more.push(("suite", json!(plain(&edit.path))));
            more.push(("part", json!(change.part)));
            if let Some(rule) = &change.rule {
                more.push(("rule", text(rule)));
            }
            more.push(("name", text(&change.name)));
        }
        more.push(("why", json!(why.trim())));
        more.push(("binds", json!(binds.to_string())));
        let line = act::other_line("clearance", self.cr(), &self.person, &more);
        confirmed(&path, (&bytes, &bytes), &line, &self.person)?;
        print(&commit(&self.target(root, ACT), &line, &[])?);
        Ok(())
    }
}
