//! The facts of a change at the spec gate, gathered once for gate, digest and queue.

use std::collections::BTreeSet;
use std::path::Path;

use super::args::At;
use super::base::{Compared, Of};
use super::look::shown;
use super::said::said;
use super::{edit_class, judge, refs};
use crate::adapters::git::regular;
use crate::adapters::spec::files::{Files, joined, on_disk};
use crate::adapters::spec::{front, judge as papers, tree};
use crate::cli::Context;
use crate::cli::exit::Exit;
use crate::cli::report::Report;
use crate::gate::spec::bar::{self, Allowed, Blast, Floor, Held, Leash, Reach, Semver};
use crate::gate::spec::edit_class::{Edit, Side};
use crate::gate::spec::{approval, clearance, judge_report, provenance, state, suite};
use crate::model::id::{Digest, RepoPath};
use crate::model::known::{Known, Reason};
use crate::model::spec::front::{Front, find};
use crate::model::spec::shard::Says;
use crate::model::spec::{Note, Root, Tree, below, folder, quoted};
use crate::model::text::Foreign;

/// Largest file beside a tree.
const LARGEST: u64 = 4 << 20;

/// What was given on the command line.
#[derive(Clone, Copy, Default)]
pub(super) struct Given<'a> {
    /// The base.
    pub base: Option<&'a str>,
    /// The change request.
    pub cr: Option<&'a str>,
    /// The judge report.
    pub judge: Option<&'a Path>,
    /// The ceiling of the change's class.
    pub ceiling: Option<&'a str>,
    /// A root that is looked at whether the change touched it or not.
    pub focus: Option<&'a RepoPath>,
}

/// The facts.
pub(super) struct Facts {
    /// Both sides.
    pub compared: Compared,
    /// The specs as they are.
    pub tree: Tree,
    /// The change request.
    pub cr: Option<Foreign>,
    /// How it was found.
    pub cr_from: &'static str,
    /// Touched documents.
    pub documents: Vec<RepoPath>,
    /// Violations and findings of state, suites, coverage.
    pub structural: Vec<Note>,
    /// Of provenance.
    pub provenance: Vec<Note>,
    /// Edits of suites.
    pub edits: Vec<Edit>,
    /// Open markers in touched documents.
    pub open: usize,
    /// The judge report.
    pub judge: Known<judge_report::Report>,
    /// Whose report it is.
    pub judge_from: &'static str,
    /// What is allowed.
    pub allowed: Allowed,
    /// The class of the change.
    pub semver: Option<Semver>,
    /// Floors.
    pub floors: Vec<Floor>,
    /// Leash.
    pub leash: Held,
    /// Blast.
    pub blast: Blast,
    /// Why approving is closed.
    pub closed: Vec<String>,
    /// Digest of every file that the facts rest on, with the base.
    pub seal: Digest,
}

impl Facts {
    /// Gathers them.
    pub(super) fn gather(context: &Context, at: &At, given: &Given<'_>) -> Result<Self, Report> {
        let ceiling = given.ceiling.map(|text| {
            Semver::parse(text).ok_or_else(|| {
                let message = format!("there is no class {}", shown(Path::new(text)));
                Report::new(Exit::Usage, "unknown-class", message)
                    .hint("use patch, minor or major, or a run mode that means one")
            })
        });
        let ceiling = ceiling.transpose()?;
        let compared = Compared::look(context, at, given.base, Of::Suites)?;
        Ok(Self::of(context, compared, given, ceiling))
    }

    /// The facts of a change whose sides were looked at.
    pub(super) fn of(
        context: &Context,
        mut compared: Compared,
        given: &Given<'_>,
        ceiling: Option<Semver>,
    ) -> Self {
        let within = |path: &RepoPath| given.focus.is_none_or(|dir| below(path, dir));
        compared.pairs.retain(|pair| within(&pair.path));
        let tree = tree::build(&Files {
            all: compared.after.clone(),
            closed: Vec::new(),
        });
        let (cr, cr_from) = change_request(&compared, given.cr);
        let mut documents = refs::touched(&compared);
        documents.retain(within);
        let touched: Vec<RepoPath> = documents
            .iter()
            .cloned()
            .chain(compared.pairs.iter().map(|pair| pair.path.clone()))
            .collect();
        let focus = given.focus.map(|dir| joined(dir, b"spec.md"));
        let touched: Vec<RepoPath> = touched.into_iter().chain(focus).collect();
        let mine = part(&tree, &touched, given.focus);
        let suites: Vec<RepoPath> = compared
            .pairs
            .iter()
            .map(|pair| pair.path.clone())
            .collect();
        let mut structural = state::tree(&mine, cr.as_ref());
        if !suites.is_empty() {
            structural.extend(suite::tree(&mine, &suites));
        }
        let covered = refs::judged(&compared).1.into_iter();
        structural.extend(covered.filter(|note| within(&note.file)));
        structural.sort();
        structural.dedup();
        let (said, claims) = said(&compared);
        structural.extend(claims);
        let edits = edit_class::classified(&compared, &said);
        let provenance = produced(&compared, &mine);
        let open = open_markers(&mine, &touched);
        let own = judge::stored(&compared, &mine.roots);
        let judge = judge_of(context, &compared, cr.as_ref(), given.judge, own.as_ref());
        let mut allowed = allowed(&compared, cr.as_ref(), ceiling);
        if let (Some(said), None) = (clearance::ceiling(&edits, &said), ceiling) {
            allowed.ceiling = Some(said.is);
            allowed.ceiling_from = format!("{} by {}", said.is.word(), quoted(&said.by));
        }
        let added = compared.pairs.iter().any(|pair| pair.base == Side::Absent);
        let semver = bar::semver(&edits, added);
        let floors = bar::floors(&edits, semver, &conflicts(&judge), &allowed);
        let mut all = structural.clone();
        all.extend(provenance.iter().cloned());
        let closed = bar::closed(&all, open, &edits, &judge, &floors);
        let leash = bar::leash(&floors, &closed, leash_ceiling(&mine, cr.as_ref()));
        let blast = bar::blast(&reach(&compared, &mine, &tree, &touched));
        let seal = seal(context, &compared, given, own.as_ref());
        Self {
            compared,
            tree: mine,
            cr,
            cr_from,
            documents,
            structural,
            provenance,
            edits,
            open,
            judge,
            judge_from: match (given.judge, own) {
                (Some(_), _) => "the report that was named",
                (None, Some(_)) => "the report of your own judge",
                (None, None) => "the report beside the plan",
            },
            allowed,
            semver,
            floors,
            leash,
            blast,
            closed,
            seal,
        }
    }
}

impl Facts {
    /// The suites that differ from the head of a worktree.
    pub(super) fn changed_since_head(top: &Path) -> Result<BTreeSet<RepoPath>, String> {
        let context = Context {
            dir: top.to_owned(),
            json: false,
            color: crate::cli::args::When::Never,
        };
        let compared = Compared::look(&context, &At::default(), Some("HEAD"), Of::Suites);
        let compared = compared.map_err(|report| report.message)?;
        Ok(compared.pairs.into_iter().map(|pair| pair.path).collect())
    }
}

/// Everything the facts of a root rest on: the files below it and those that are no spec (plans,
/// reports), the judge report that was named, and the base.
fn seal(
    context: &Context,
    compared: &Compared,
    given: &Given<'_>,
    own: Option<&Result<Vec<u8>, String>>,
) -> Digest {
    let mine = |path: &RepoPath| {
        given
            .focus
            .is_none_or(|dir| below(path, dir) || !compared.in_spec(path))
    };
    let named = given
        .judge
        .map(|file| regular::read(&context.dir.join(file), LARGEST));
    let named = named.and_then(Result::ok).flatten().unwrap_or_default();
    let base = compared.merge_base.to_string();
    let own = own.map_or(&[][..], |read| read.as_deref().unwrap_or(b"unread"));
    let mut fields: Vec<&[u8]> = vec![base.as_bytes(), &named, own];
    for (path, read) in compared.after.iter().filter(|(path, _)| mine(path)) {
        let (state, bytes): (&[u8], &[u8]) = match read {
            Ok(bytes) => (b"read", bytes),
            Err(why) => (b"unread", why.as_bytes()),
        };
        fields.extend([path.as_bytes(), state, bytes]);
    }
    Digest::of_fields(&fields)
}

/// The change request: given, else the plan or shard that the change adds, else the branch (A17).
fn change_request(compared: &Compared, given: Option<&str>) -> (Option<Foreign>, &'static str) {
    if let Some(given) = given {
        return (Some(Foreign::from(given)), "given");
    }
    let added = || {
        compared
            .after
            .keys()
            .filter(|path| !compared.before.contains_key(*path))
    };
    let plans = added()
        .filter_map(|path| in_plans(path).then(|| path.file_name().strip_suffix(b".plan.md"))?);
    let shards = added().filter_map(|path| {
        let stem = path.file_name().strip_suffix(b".jsonl")?;
        let dot = stem.iter().rposition(|b| *b == b'.')?;
        let of = stem.get(..dot)?;
        (compared.in_spec(path) && of != b"strategy").then_some(of)
    });
    for (names, from) in [
        (plans.collect::<Vec<_>>(), "the plan that the change adds"),
        (shards.collect::<Vec<_>>(), "the shard that the change adds"),
    ] {
        let mut names = names;
        names.sort_unstable();
        names.dedup();
        match names.as_slice() {
            [] => {}
            [one] => return (Some(Foreign::new(one.to_vec())), from),
            _ => return (None, "the change adds several; name one with --cr"),
        }
    }
    match &compared.branch {
        Some(branch) => (Some(branch.clone()), "the branch"),
        None => (None, "no branch, plan or shard names one"),
    }
}

fn in_plans(path: &RepoPath) -> bool {
    let padded = [b"/", path.as_bytes()].concat();
    memchr::memmem::find(&padded, b"/.agents/plans/").is_some()
}

/// The part of a tree that touched files belong to.
fn part(tree: &Tree, touched: &[RepoPath], focus: Option<&RepoPath>) -> Tree {
    let mut mine = tree.clone();
    let dirs: Vec<RepoPath> = tree.roots.iter().map(|root| root.dir.clone()).collect();
    let own = |root: &Root| {
        if let Some(focus) = focus {
            return root.dir == *focus;
        }
        touched.iter().any(|path| {
            let inner = dirs
                .iter()
                .any(|dir| *dir != root.dir && below(dir, &root.dir) && below(path, dir));
            below(path, &root.dir) && !inner
        })
    };
    mine.roots.retain(own);
    mine.nodes
        .retain(|node| touched.iter().any(|path| folder(path) == node.dir));
    mine
}

fn open_markers(tree: &Tree, touched: &[RepoPath]) -> usize {
    let roots = tree.roots.iter().filter_map(|root| root.document.known());
    let nodes = tree.nodes.iter().filter_map(|node| node.document.known());
    let mine = roots
        .chain(nodes)
        .filter(|document| touched.contains(&document.path));
    mine.map(|document| document.open.len()).sum()
}

fn beside(compared: &Compared, path: &str) -> Option<Result<Vec<u8>, String>> {
    let path = RepoPath::from(path);
    match regular::read(&on_disk(&compared.top, &path), LARGEST) {
        Ok(None) => None,
        Ok(Some(bytes)) => Some(Ok(bytes)),
        Err(error) => Some(Err(error.says())),
    }
}

fn produced(compared: &Compared, tree: &Tree) -> Vec<Note> {
    let path = ".agents/universal-plugin.json";
    let registry = papers::registry(&RepoPath::from(path), beside(compared, path));
    let mut notes = Vec::new();
    let roots = tree.roots.iter().filter_map(|root| root.document.known());
    let mut any = false;
    for document in roots {
        any |= document.front.get("produced-by").is_some();
        provenance::document(document, &registry, &mut notes);
    }
    if any {
        provenance::registry(&registry, &RepoPath::from(path), &mut notes);
    }
    notes.sort();
    notes
}

/// The report that was named, else that of the person's own judge, else the one that lies beside
/// the plan of the change request.
fn judge_of(
    context: &Context,
    compared: &Compared,
    cr: Option<&Foreign>,
    file: Option<&Path>,
    own: Option<&Result<Vec<u8>, String>>,
) -> Known<judge_report::Report> {
    let read = match (file, own) {
        (Some(file), _) => match regular::read(&context.dir.join(file), LARGEST) {
            Ok(None) => Err(String::from("there is no such file")),
            Ok(Some(bytes)) => Ok(bytes),
            Err(error) => Err(error.says()),
        },
        (None, Some(own)) => own.clone(),
        (None, None) => {
            let name = cr.map(|cr| [cr.raw(), b".judge.md"].concat());
            let mine =
                |path: &RepoPath| in_plans(path) && Some(path.file_name()) == name.as_deref();
            match compared.after.iter().find(|(path, _)| mine(path)) {
                None => return Known::NotSupplied,
                Some((_, read)) => read.clone(),
            }
        }
    };
    match read {
        Ok(bytes) => Known::Is(judge_report::read(&papers::fields(&bytes))),
        Err(why) => Known::Unknown(Reason::new(why)),
    }
}

/// Scenarios that the judge finds at odds with others.
fn conflicts(judge: &Known<judge_report::Report>) -> Vec<String> {
    let failing = judge.known().into_iter().flat_map(|report| &report.failing);
    failing
        .filter(|(.., check)| {
            let check = check.raw_str().unwrap_or_default().to_lowercase();
            check.contains("conflict") || check.contains("contradict")
        })
        .map(|(scenario, _, check)| format!("{}: {}", quoted(scenario), quoted(check)))
        .collect()
}

/// What the plan at the merge base allows; what only the change itself says is a claim (H19).
fn allowed(compared: &Compared, cr: Option<&Foreign>, flag: Option<Semver>) -> Allowed {
    let mut out = Allowed {
        ceiling_from: String::from("minor by default"),
        ..Allowed::default()
    };
    let name = cr.map(|cr| [cr.raw(), b".plan.md"].concat());
    let is_plan = |path: &RepoPath| in_plans(path) && Some(path.file_name()) == name.as_deref();
    let plan = |all: &std::collections::BTreeMap<RepoPath, Result<Vec<u8>, String>>| {
        let found = all.iter().find(|(path, _)| is_plan(path));
        let bytes = found.and_then(|(_, read)| read.as_ref().ok());
        bytes.map(|bytes| front::read(bytes).0)
    };
    let word = |front: &Front, keys: &[&str]| {
        let entry = keys.iter().find_map(|key| front.get(key));
        entry
            .and_then(|entry| entry.value.word())
            .map(str::to_owned)
    };
    let clears = |front: &Front| {
        let said = word(front, &["clearance"]);
        said.is_some_and(|said| ["pre-authorized", "authorized", "true"].contains(&said.as_str()))
    };
    if let Some(front) = plan(&compared.before) {
        if clears(&front) {
            out.clearance = Some(String::from("the plan at the merge base"));
        }
        let said = word(&front, &["ceiling", "change-class-ceiling", "run-mode"]);
        if let Some(class) = said.as_deref().and_then(Semver::parse) {
            out.ceiling = Some(class);
            out.ceiling_from = format!("{} by the plan at the merge base", class.word());
        }
    }
    if out.clearance.is_none() && plan(&compared.after).is_some_and(|front| clears(&front)) {
        out.claimed = Some(String::from("the plan of the change itself"));
    }
    if let Some(class) = flag {
        out.ceiling = Some(class);
        out.ceiling_from = format!("{} as given", class.word());
    }
    out
}

/// The person's ceiling of the leash: the strictest line by the user. A line can only shorten it,
/// so it does not matter who wrote it.
fn leash_ceiling(tree: &Tree, cr: Option<&Foreign>) -> Leash {
    let mut ceiling = Leash::AutoAll;
    for root in &tree.roots {
        for shard in root.shards.iter().filter_map(Known::known) {
            for line in &shard.lines {
                if let Says::Leash {
                    leash,
                    cr: of,
                    by_user,
                } = &line.says
                    && *by_user
                    && of.as_ref() == cr
                    && let Some(leash) = leash
                        .as_ref()
                        .and_then(Foreign::raw_str)
                        .and_then(Leash::parse)
                {
                    ceiling = ceiling.min(leash);
                }
            }
        }
    }
    ceiling
}

fn reach(compared: &Compared, mine: &Tree, all: &Tree, touched: &[RepoPath]) -> Reach {
    let areas: Vec<&RepoPath> = mine.nodes.iter().map(|node| &node.dir).collect();
    let of = all
        .nodes
        .iter()
        .filter(|node| mine.roots.iter().any(|root| below(&node.path, &root.dir)));
    let leans = |area: &RepoPath| {
        let name = String::from_utf8_lossy(area.file_name()).into_owned();
        let others = all.nodes.iter().filter(|node| node.dir != *area);
        others
            .filter_map(|node| node.document.known())
            .filter(|document| {
                document.refers.iter().any(|text| {
                    text.raw_str()
                        .is_some_and(|text| text.split(['/', '#']).any(|part| part == name))
                })
            })
            .count()
    };
    let sensitive = match beside(compared, ".agents/sdd/sensitive-paths.toml") {
        None => Some(false),
        Some(Err(_)) => None,
        Some(Ok(bytes)) => papers::sensitive(&bytes).ok().map(|paths| {
            touched.iter().any(|path| {
                paths.iter().any(|listed| {
                    let listed =
                        RepoPath::from(listed.trim_end_matches("/**").trim_end_matches('/'));
                    *path == listed || below(path, &listed)
                })
            })
        }),
    };
    let declared = mine.roots.iter().find_map(|root| {
        let document = root.document.known()?;
        let why = approval::approval(&document.front, "spec")?.why?;
        let blast = find(why.value.map()?, "blast")?;
        blast.value.word().map(str::to_owned)
    });
    Reach {
        areas: areas.len(),
        of: of.count(),
        fan_in: areas.iter().map(|area| leans(area)).max().unwrap_or(0),
        sensitive,
        declared,
    }
}
