//! The sample's files, stage by stage.

/// The commits of the sample, in order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Stage {
    Base,
    One,
    Two,
    Three,
}

impl Stage {
    pub(super) const ALL: [Self; 4] = [Self::Base, Self::One, Self::Two, Self::Three];

    /// Author, mail, seconds since the epoch, message.
    pub(super) fn commit(self) -> (&'static str, &'static str, i64, &'static str) {
        let agent = ("builder-3 (agent)", "builder-3@agents.invalid");
        match self {
            Self::Base => (
                "Ada Osei",
                "ada@harbor.invalid",
                1_791_800_000,
                "contract: the winter timetable\n\nWhat must hold before the kiosk shows it, with the oracles that say so.\n",
            ),
            Self::One => (
                agent.0,
                agent.1,
                1_791_880_000,
                "ferry: read the winter timetable from 25 October\n\nThe season decides the table. An unknown harbor is answered with the known ones.\n",
            ),
            Self::Two => (
                agent.0,
                agent.1,
                1_791_890_000,
                "clock: the night of the clock change has one hour twice\n",
            ),
            Self::Three => (
                agent.0,
                agent.1,
                1_791_900_000,
                "all criteria met, contract and deployment brought in line\n",
            ),
        }
    }
}

/// One file of the sample.
pub(super) struct File {
    pub(super) path: &'static str,
    pub(super) mode: u32,
    versions: &'static [(Stage, &'static [u8])],
}

impl File {
    /// Its bytes at a stage: the last version at or before it.
    pub(super) fn at(&self, stage: Stage) -> Option<&'static [u8]> {
        let mut latest_first = self.versions.iter().rev();
        latest_first
            .find(|(from, _)| *from <= stage)
            .map(|(_, bytes)| *bytes)
    }
}

macro_rules! file {
    ($path:literal, $mode:literal, $($stage:ident: $asset:literal),+) => {
        File {
            path: $path,
            mode: $mode,
            versions: &[$((
                Stage::$stage,
                include_bytes!(concat!("../../../assets/demo/", $asset)),
            )),+],
        }
    };
}

pub(super) const FILES: &[File] = &[
    file!(".claude/tasks/contracts/2026-10-12-winter-0910.md", 0o100644,
        Base: "base/contract/winter.md", Three: "three/contract/winter.md"),
    file!(".github/workflows/deploy.yml", 0o100644,
        Base: "base/github/deploy.yml", Three: "three/github/deploy.yml"),
    file!("CHANGELOG.md", 0o100644, Base: "base/CHANGELOG.md", Three: "three/CHANGELOG.md"),
    file!("README.md", 0o100644, Base: "base/README.md"),
    file!("bin/ferry", 0o100755, Base: "base/bin/ferry", One: "one/bin/ferry"),
    file!("data/summer.csv", 0o100644, Base: "base/data/summer.csv"),
    file!("data/winter.csv", 0o100644, One: "one/data/winter.csv"),
    file!("lib/clock.awk", 0o100644, Base: "base/lib/clock.awk", Two: "two/lib/clock.awk"),
    file!("tests/cases.txt", 0o100644, Base: "base/tests/cases.txt"),
    file!("tests/changeover.sh", 0o100644, Two: "two/tests/changeover.sh"),
    file!("tests/count.sh", 0o100644, Base: "base/tests/count.sh"),
    file!("tests/next.sh", 0o100644, Base: "base/tests/next.sh"),
    file!("tests/redraw.sh", 0o100644, Base: "base/tests/redraw.sh"),
];
