//! The queue screen over what was gathered: it reads and writes for the screen, and lends the
//! terminal to the session of a row.

use std::collections::BTreeMap;
use std::process::Command;

use super::{Gathered, Source, gather};
use crate::adapters::who;
use crate::app::queue::{
    Act, Became, Event, Item, Left, Line, Opens, Page, Plan, Queue, Refused, Wish,
};
use crate::cli::Context;
use crate::cli::args::QueueArgs;
use crate::cli::config::user_settings;
use crate::cli::exit::Exit;
use crate::cli::ledger::words::shown;
use crate::cli::report::Report;
use crate::cli::sitting::looks;
use crate::cli::spec::acts::{self, CAUSES, Opened};
use crate::cli::spec::dressed;
use crate::model::known::Known;
use crate::model::text::Place;
use crate::runtime::guard::{self, Guard};
use crate::runtime::page::{Setting, run as screen};

/// Runs the screen until the person leaves.
///
/// # Errors
/// A [`Report`] when the terminal or the settings fail.
pub(super) fn run(context: &Context, args: &QueueArgs, gathered: Gathered) -> Result<Exit, Report> {
    let settings = user_settings()?.settings;
    let by = match who::find(settings.name.as_deref()) {
        Known::Is(person) => Ok(person.name().to_owned()),
        Known::Unknown(why) => Err(why.to_string()),
        Known::NotApplicable(_) | Known::NotSupplied => Err(String::from("nobody is known")),
    };
    guard::on_panic(|| {});
    let mut desk = Desk::new(context, args, gathered, by);
    let mut at = 0;
    loop {
        let looks = looks(context, None, &settings)?;
        let guard = Guard::open(false).map_err(|why| {
            Report::new(Exit::Usage, "no-terminal", why.to_string())
                .hint("use --plain for prompts and lines, --json in scripts")
        })?;
        let mut queue = Queue::new(guard.size(), looks.ascii, desk.items(), desk.looked_at());
        queue.by.clone_from(&desk.by);
        queue.causes = &CAUSES;
        queue.at = at;
        let setting = Setting {
            guard,
            theme: looks.theme,
            colorless: looks.colorless,
        };
        let (queue, signal) = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .and_then(|runtime| {
                runtime.block_on(screen(queue, setting, |_: &Queue, wish| desk.answer(wish)))
            })
            .map_err(|error| {
                Report::new(Exit::CouldNotMeasure, "terminal", error.to_string())
                    .hint("try again, or use --plain")
            })?;
        if let Some(number) = signal {
            std::process::exit(128 + number);
        }
        match queue.left {
            Some(Left::Session(row)) => {
                at = row;
                desk.session(row);
                desk.read_again();
            }
            Some(Left::Leave | Left::HungUp) | None => break,
        }
    }
    desk.read_again();
    Ok(desk.gathered.exit())
}

struct Desk<'a> {
    context: &'a Context,
    args: &'a QueueArgs,
    gathered: Gathered,
    rows: Vec<Source>,
    by: Result<String, String>,
    /// What was opened, by row.
    opened: BTreeMap<usize, Opened>,
    /// The plan on the screen.
    plan: Option<acts::Plan>,
}

impl<'a> Desk<'a> {
    fn new(
        context: &'a Context,
        args: &'a QueueArgs,
        gathered: Gathered,
        by: Result<String, String>,
    ) -> Self {
        Self {
            rows: gathered.rows(),
            context,
            args,
            gathered,
            by,
            opened: BTreeMap::new(),
            plan: None,
        }
    }

    /// How many worktrees were looked at.
    fn looked_at(&self) -> usize {
        let specs = self.gathered.specs.iter().map(|item| item.top.clone());
        let items = self.gathered.items.iter();
        let items = items.filter_map(|item| item.worktree.clone());
        let mut all: Vec<_> = specs.chain(items).collect();
        all.extend(
            self.gathered
                .dirs
                .iter()
                .filter_map(|dir| super::place_of(dir))
                .map(|place| place.worktree),
        );
        all.sort();
        all.dedup();
        all.len()
    }

    fn items(&self) -> Vec<Item> {
        let rows = self.rows.iter().filter_map(|row| match row {
            Source::Spec(at) => {
                let item = self.gathered.specs.get(*at)?;
                let cr = item.waits.cr.as_ref();
                let document = item.document().foreign().shown(Place::Strict).plain();
                Some(Item {
                    risk: item.risk.0,
                    repo: item.repo.clone(),
                    change: cr
                        .map_or_else(|| String::from("-"), |cr| cr.shown(Place::Strict).plain()),
                    asserted: format!("{} {}: {document}", item.waits.gate, item.waits.verdict),
                    why: item.risk.1.clone(),
                    says: item.waits.why.clone(),
                    closed: item.closed.clone(),
                    opens: Opens::Here,
                    became: Became::Waits,
                })
            }
            Source::Said(at) => {
                let item = self.gathered.items.get(*at)?;
                let said = &item.assertion.value;
                let (risk, why) = &item.risk;
                Some(Item {
                    risk,
                    repo: item.repo.clone(),
                    change: shown(&item.change),
                    asserted: format!(
                        "{} {}: {}",
                        shown(&said.gate),
                        said.verdict.shown(Place::Strict),
                        said.subject.shown(Place::Strict)
                    ),
                    why: match item.moved {
                        Some(true) => format!("{why}; its head moved since"),
                        Some(false) => why.clone(),
                        None => format!("{why}; its worktree is gone or holds another branch"),
                    },
                    says: vec![said.why.shown(Place::Prose).plain()],
                    closed: Vec::new(),
                    opens: match item.worktree {
                        Some(_) => Opens::Session,
                        None => Opens::Nowhere,
                    },
                    became: Became::Waits,
                })
            }
        });
        let unread = self.gathered.unread.iter().map(|(repo, why)| Item {
            risk: "?",
            repo: repo.clone(),
            change: String::from("-"),
            asserted: String::from("could not be read"),
            why: why.clone(),
            says: Vec::new(),
            closed: Vec::new(),
            opens: Opens::Nowhere,
            became: Became::Waits,
        });
        rows.chain(unread).collect()
    }

    fn read_again(&mut self) {
        // what cannot be gathered now stays as it was read
        if let Ok(gathered) = gather(self.context, self.args) {
            self.gathered = gathered;
        }
        self.rows = self.gathered.rows();
        self.opened.clear();
        self.plan = None;
    }

    fn answer(&mut self, wish: Wish) -> Event {
        match wish {
            Wish::Read => {
                self.read_again();
                Event::Read(self.items())
            }
            Wish::Open(row) => Event::Opened(row, self.open(row)),
            Wish::Plan(row, act, words) => Event::Planned(row, self.planned(row, act, &words)),
            Wish::Write(row, _) => Event::Written(row, self.write(row)),
        }
    }

    fn spec(&self, row: usize) -> Option<&crate::cli::spec::Asserted> {
        match self.rows.get(row)? {
            Source::Spec(at) => self.gathered.specs.get(*at),
            Source::Said(_) => None,
        }
    }

    fn open(&mut self, row: usize) -> Result<Page, String> {
        // the document may be another by now, and with it what waits
        let old = self.spec(row).ok_or("it is no longer there")?;
        let fresh = old.again().ok_or("it does not wait any more")?;
        let opened = acts::open(&fresh, None)?;
        let lines = opened.lines.iter().map(|line| dressed(line)).collect();
        let title = format!("{}  {}", fresh.repo, fresh.waits.gate);
        let page = Page::new(title, lines, opened.closed.clone());
        if let Some(Source::Spec(at)) = self.rows.get(row)
            && let Some(item) = self.gathered.specs.get_mut(*at)
        {
            *item = fresh;
        }
        self.opened.insert(row, opened);
        Ok(page)
    }

    fn planned(&mut self, row: usize, act: Act, words: &str) -> Result<Plan, Refused> {
        let item = self.spec(row).ok_or_else(gone)?;
        let opened = self.opened.get(&row).ok_or_else(gone)?;
        let person = self.by.as_ref().map_err(|why| Refused::from(why.clone()))?;
        let plan = match act {
            Act::Ratify => acts::ratify(item, opened, person)?,
            Act::SendBack(cause) => {
                let cause = CAUSES.get(cause).map_or("", |cause| cause.0);
                acts::send_back(item, opened, person, (cause, words))?
            }
        };
        let shown = Plan {
            lines: plan.lines.iter().map(|line| dressed(line)).collect(),
            wanted: plan.typed.clone(),
            scroll: 0,
            typed: String::new(),
            act,
        };
        self.plan = Some(plan);
        Ok(shown)
    }

    fn write(&mut self, row: usize) -> Result<Vec<Line>, Refused> {
        let plan = self.plan.take().ok_or_else(gone)?;
        let item = self.spec(row).ok_or_else(gone)?;
        let opened = self.opened.get(&row).ok_or_else(gone)?;
        let lines = acts::write_plan(item, opened, &plan)?;
        self.opened.remove(&row);
        Ok(lines.iter().map(|line| dressed(line)).collect())
    }

    /// The session of a row, in a process of its own on this terminal.
    fn session(&self, row: usize) {
        let Some(Source::Said(at)) = self.rows.get(row) else {
            return;
        };
        let worktree = self
            .gathered
            .items
            .get(*at)
            .and_then(|item| item.worktree.clone());
        if let (Some(worktree), Ok(program)) = (worktree, std::env::current_exe()) {
            let _ = Command::new(program).arg("review").arg(worktree).status();
        }
    }
}

fn gone() -> Refused {
    Refused::from(String::from("it is no longer there"))
}
