//! What the files say, put together: threads from comments, and how much of each list is here.

use std::collections::{BTreeMap, HashMap, HashSet};

use sha2::{Digest as _, Sha256};

use super::cursor::Cursor;
use super::extent::{Extent, Paging};
use super::loose::{Corner, Loose};
use super::shape;
use super::{Holds, Input};
use crate::model::id::{Digest, Oid, RepoPath};
use crate::model::known::{Known, Reason};
use crate::model::text::{Foreign, Place};
use crate::model::thread::{
    Actor, Channel, Comment, Counts, Fault, Listing, Pull, Resolved, ReviewWord, Thread, Threads,
};

/// Everything that was read so far.
#[derive(Default, Debug)]
pub(super) struct Gathered {
    pub(super) threads: Vec<Thread>,
    pub(super) loose: Vec<Loose>,
    reviews: Vec<(Box<str>, ReviewWord)>,
    /// Reviews that ask for changes without a word, until it is known whether they carry
    /// comments.
    wordless: Vec<(Comment, Option<Oid>)>,
    pub(super) files: Vec<RepoPath>,
    pub(super) commits: Vec<Oid>,
    pub(super) pull: Option<Pull>,
    pub(super) inline: Extent,
    pub(super) review_bodies: Extent,
    pub(super) conversation: Extent,
    pub(super) file_list: Extent,
    pub(super) commit_list: Extent,
    faults: Vec<Fault>,
    /// How many comments a thread has, where that is said.
    pub(super) totals: HashMap<Box<str>, u32>,
    /// Whether inline comments come review by review.
    pub(super) gitea: bool,
    /// Whether a recording says so, also where no review is there to show it.
    pub(super) by_review: bool,
    /// How many inline comments the reviews that are here say they have.
    pub(super) announced: u32,
    /// What the headers of the answer that is read say.
    pub(super) paging: Option<Paging>,
    /// Ids of the reviews that inline comments belong to, by comment.
    pub(super) review_of: HashMap<Box<str>, Box<str>>,
}

impl Gathered {
    /// Reads one file.
    pub(super) fn file(&mut self, input: &Input) {
        let bytes = match &input.bytes {
            Ok(bytes) => bytes,
            Err(why) => return self.lost(input, "not-read", why, "look at the file's name"),
        };
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => std::borrow::Cow::Borrowed(text),
            Err(error) => {
                let message = format!(
                    "from byte {} on it is not all UTF-8; what is none is replaced",
                    error.valid_up_to()
                );
                self.fault(input, "not-utf8", &message, "fetch it again", true);
                self.extent(input.holds)
                    .doubt("a file holds bytes that are no text");
                String::from_utf8_lossy(bytes)
            }
        };
        match text.trim_start().bytes().next() {
            None => {
                let hint = "fetch it again; an empty list is `[]`";
                return self.lost(input, "empty-file", "the file is empty", hint);
            }
            Some(b'<') => {
                let what = "this is a page of HTML or XML, not JSON";
                return self.lost(input, "not-json", what, "fetch it from the interface");
            }
            Some(b'{' | b'[') => {}
            Some(_) => {
                let what = "this is no JSON list or object";
                return self.lost(input, "not-json", what, "give the answer as it came");
            }
        }
        let mut cursor = Cursor::new(&text);
        shape::documents(&mut cursor, input.holds, self);
        self.settle(input, cursor);
    }

    /// Takes the faults of a file over.
    fn settle(&mut self, input: &Input, cursor: Cursor<'_>) {
        if cursor.more > 0 {
            let message = format!("{} more faults are not listed", cursor.more);
            self.fault(input, "more-faults", &message, "", true);
        }
        for odd in cursor.odd {
            self.faults.push(Fault {
                code: odd.code,
                file: input.name.clone(),
                at: Foreign::from(odd.at),
                message: odd.message,
                hint: odd.hint,
                loses: odd.loses,
            });
        }
    }

    fn fault(
        &mut self,
        input: &Input,
        code: &'static str,
        message: &str,
        hint: &'static str,
        loses: bool,
    ) {
        self.faults.push(Fault {
            code,
            file: input.name.clone(),
            at: Foreign::from("$"),
            message: message.to_owned(),
            hint,
            loses,
        });
    }

    /// A file of which nothing could be read.
    fn lost(&mut self, input: &Input, code: &'static str, message: &str, hint: &'static str) {
        self.fault(input, code, message, hint, true);
        self.unreadable(input.holds, message);
    }

    /// What a file was to hold could not be read; without a word for it, that may be anything.
    pub(super) fn unreadable(&mut self, holds: Option<Holds>, why: &str) {
        match holds {
            Some(_) => self.extent(holds).unreadable(why),
            None => {
                for extent in self.channels() {
                    extent.unreadable(why);
                }
            }
        }
    }

    /// The list that a word means; inline comments without one.
    pub(super) fn extent(&mut self, holds: Option<Holds>) -> &mut Extent {
        match holds {
            Some(Holds::Inline) | None => &mut self.inline,
            Some(Holds::Reviews) => &mut self.review_bodies,
            Some(Holds::Conversation) => &mut self.conversation,
            Some(Holds::Files) => &mut self.file_list,
            Some(Holds::Commits) => &mut self.commit_list,
        }
    }

    /// The three lists of comments.
    pub(super) fn channels(&mut self) -> [&mut Extent; 3] {
        [
            &mut self.inline,
            &mut self.review_bodies,
            &mut self.conversation,
        ]
    }

    /// Doubts what a file was to hold, or every list that is here.
    pub(super) fn doubt_all(&mut self, holds: Option<Holds>, why: &'static str) {
        match holds {
            Some(_) => self.extent(holds).doubt(why),
            None => {
                for extent in self.channels() {
                    if extent.seen() {
                        extent.doubt(why);
                    }
                }
            }
        }
    }

    /// The pull request, which several files may describe.
    pub(super) fn pull(&mut self) -> &mut Pull {
        self.pull.get_or_insert_with(Pull::default)
    }

    /// A comment that is a thread of its own.
    pub(super) fn alone(
        &mut self,
        channel: Channel,
        comment: Comment,
        review: Option<ReviewWord>,
        written_at: Option<Oid>,
    ) {
        let none = Reason::new("comments below the description can't be resolved");
        let whole = Reason::new("it is about the whole change");
        self.threads.push(Thread {
            id: comment.id.clone(),
            channel,
            spot: None,
            written_at,
            first: comment,
            replies: Vec::new(),
            all_replies: true,
            resolved: Known::NotApplicable(none),
            outdated: Known::NotApplicable(whole),
            review,
            actor: None,
        });
    }

    /// A review; `thread` when it says something itself.
    pub(super) fn review(
        &mut self,
        comment: Comment,
        word: ReviewWord,
        commit: Option<Oid>,
        thread: bool,
    ) {
        self.reviews.push((comment.id.clone(), word));
        if thread {
            self.alone(Channel::Reviews, comment, Some(word), commit);
        } else if word == ReviewWord::ChangesRequested {
            self.wordless.push((comment, commit));
        }
    }

    /// Everything in its place.
    pub(super) fn done(mut self) -> Threads {
        let loose = std::mem::take(&mut self.loose);
        self.link(loose);
        let carriers: HashSet<Box<str>> = self.review_of.values().cloned().collect();
        // without all inline comments nobody knows which of them it carries
        let told = self.inline.whole_or_none();
        for (comment, commit) in std::mem::take(&mut self.wordless) {
            if told && !carriers.contains(&comment.id) {
                let word = Some(ReviewWord::ChangesRequested);
                self.alone(Channel::Reviews, comment, word, commit);
            }
        }
        self.once();
        let verdicts: HashMap<&str, ReviewWord> = self
            .reviews
            .iter()
            .map(|(id, word)| (id.as_ref(), *word))
            .collect();
        for thread in &mut self.threads {
            if thread.review.is_none()
                && let Some(review) = self.review_of.get(&thread.first.id)
            {
                thread.review = verdicts.get(review.as_ref()).copied();
            }
        }
        if !self.threads.is_sorted_by_key(|thread| thread.channel) {
            self.threads.sort_by_key(|thread| thread.channel);
        }
        self.cut_threads();
        let reviewed = !self.reviews.is_empty() || self.announced > 0;
        if self.by_review && !reviewed && self.review_bodies.seen() && !self.inline.seen() {
            // no review has any: there is no other list to ask for
            self.inline.whole(0);
        }
        if (self.gitea || self.by_review) && !self.review_bodies.whole_or_none() {
            // inline comments are asked for review by review there
            self.inline
                .doubt("reviews are missing, and their comments with them");
        }
        let counts = self
            .pull
            .as_ref()
            .map_or(Counts::default(), |pull| pull.counts);
        let of = |channel: Channel| {
            let own = self.threads.iter().filter(move |t| t.channel == channel);
            own.map(|thread| 1 + thread.replies.len()).sum::<usize>()
        };
        let (inline, reviews, conversation) = (
            of(Channel::Inline),
            of(Channel::Reviews),
            of(Channel::Conversation),
        );
        Threads {
            channels: [
                self.inline.state(
                    inline,
                    counts.inline.or(Some(self.announced).filter(|n| *n > 0)),
                ),
                self.review_bodies.state(reviews, None),
                self.conversation.state(conversation, counts.conversation),
            ],
            digest: digest(&self.threads),
            files: Listing {
                state: self.file_list.state(self.files.len(), counts.files),
                items: self.files,
            },
            commits: Listing {
                state: self.commit_list.state(self.commits.len(), counts.commits),
                items: self.commits,
            },
            pull: self.pull.map_or(Known::NotSupplied, Known::Is),
            threads: self.threads,
            faults: self.faults,
        }
    }

    /// Names the threads whose answers are not all here.
    fn cut_threads(&mut self) {
        for thread in &mut self.threads {
            let here = 1 + thread.replies.len();
            let total = self.totals.get(&thread.id).copied().unwrap_or(0);
            if usize::try_from(total).is_ok_and(|total| total > here) {
                thread.all_replies = false;
            }
        }
        let cut: Vec<&str> = self
            .threads
            .iter()
            .filter(|thread| !thread.all_replies)
            .map(|thread| thread.id.as_ref())
            .collect();
        if cut.is_empty() {
            return;
        }
        let first: Vec<String> = cut
            .iter()
            .take(3)
            .map(|id| Foreign::from(*id).shown(Place::Strict).plain())
            .collect();
        self.faults.push(Fault {
            code: "cut-thread",
            file: Foreign::from("-"),
            at: Foreign::from("$"),
            message: format!(
                "{} threads without all their answers: {}",
                cut.len(),
                first.join(", ")
            ),
            hint: "fetch the comments of the thread",
            loses: false,
        });
        self.inline.doubt("some answers are missing");
    }

    /// Drops what came twice, and says so: pages that overlap may also have a gap.
    fn once(&mut self) {
        let mut keys: Vec<(Channel, &str)> = self
            .threads
            .iter()
            .map(|thread| (thread.channel, thread.id.as_ref()))
            .collect();
        keys.sort_unstable();
        if keys.windows(2).all(|pair| pair.first() != pair.last()) {
            return;
        }
        let mut at: HashMap<(Channel, Box<str>), usize> = HashMap::new();
        let mut kept: Vec<Thread> = Vec::new();
        let mut twice: BTreeMap<Channel, usize> = BTreeMap::new();
        for thread in std::mem::take(&mut self.threads) {
            let key = (thread.channel, thread.id.clone());
            let Some(first) = at.get(&key).and_then(|at| kept.get_mut(*at)) else {
                at.insert(key, kept.len());
                kept.push(thread);
                continue;
            };
            if !go_on(first, thread) {
                *twice.entry(key.0).or_default() += 1;
            }
        }
        self.threads = kept;
        for (channel, count) in twice {
            self.repeated(channel, count);
        }
    }

    fn repeated(&mut self, channel: Channel, count: usize) {
        self.faults.push(Fault {
            code: "repeated-id",
            file: Foreign::from("-"),
            at: Foreign::from("$"),
            message: format!(
                "{count} {} comments came twice, the first is kept; pages that overlap may have \
                 a gap",
                channel.word()
            ),
            hint: "fetch all pages again",
            loses: false,
        });
        let extent = match channel {
            Channel::Inline => &mut self.inline,
            Channel::Reviews => &mut self.review_bodies,
            Channel::Conversation => &mut self.conversation,
        };
        extent.doubt("some ids came twice");
    }

    /// Puts loose comments into threads: by the comment they answer, or by their place.
    fn link(&mut self, loose: Vec<Loose>) {
        if loose.is_empty() {
            return;
        }
        // comments that a thread of another file holds already
        let held: HashSet<Box<str>> = self
            .threads
            .iter()
            .filter(|thread| thread.channel == Channel::Inline)
            .flat_map(|thread| thread.comments().map(|comment| comment.id.clone()))
            .collect();
        let mut at: HashMap<Box<str>, usize> = HashMap::new();
        let mut seen: HashSet<Box<str>> = HashSet::new();
        let mut twice = 0;
        let parents: HashMap<Box<str>, Option<Box<str>>> = loose
            .iter()
            .map(|one| (one.comment.id.clone(), one.reply_to.clone()))
            .collect();
        let mut answers = Vec::new();
        let mut places: HashMap<Corner, usize> = HashMap::new();
        for mut one in loose {
            let place = one.place();
            if let Some(review) = one.review.take() {
                self.review_of.insert(one.comment.id.clone(), review);
            }
            if held.contains(&one.comment.id) {
                self.complete(one);
                continue;
            }
            if !seen.insert(one.comment.id.clone()) {
                twice += 1;
                continue;
            }
            if one.reply_to.is_some() {
                answers.push(one);
                continue;
            }
            if let Some(place) = place {
                let known = places.entry(place).or_insert(self.threads.len());
                if let Some(thread) = self.threads.get_mut(*known) {
                    if matches!(one.resolved, Known::Is(Resolved::By(_))) {
                        thread.resolved = one.resolved;
                    }
                    thread.replies.push(one.comment);
                    continue;
                }
            }
            at.insert(one.comment.id.clone(), self.threads.len());
            self.inline_thread(one);
        }
        if twice > 0 {
            self.repeated(Channel::Inline, twice);
        }
        let mut orphans = 0;
        for one in answers {
            let root = root(&one, &parents);
            let known = root.as_ref().and_then(|root| at.get(root)).copied();
            if let Some(thread) = known.and_then(|index| self.threads.get_mut(index)) {
                thread.replies.push(one.comment);
                continue;
            }
            orphans += 1;
            // the others that answer the same missing comment go with it
            let missing = root.unwrap_or_else(|| one.comment.id.clone());
            at.insert(missing, self.threads.len());
            self.inline_thread(one);
        }
        if orphans > 0 {
            self.faults.push(Fault {
                code: "reply-without-parent",
                file: Foreign::from("-"),
                at: Foreign::from("$"),
                message: format!("{orphans} threads begin with an answer to a comment not here"),
                hint: "fetch all pages",
                loses: false,
            });
            self.inline.doubt("answers to comments that are not here");
        }
    }

    /// What only the REST answer says of a comment that a thread holds already.
    fn complete(&mut self, one: Loose) {
        let holds = |thread: &&mut Thread| {
            thread.channel == Channel::Inline && thread.first.id == one.comment.id
        };
        if let Some(thread) = self.threads.iter_mut().find(holds) {
            thread.written_at = thread.written_at.or(one.written_at);
            if let (Some(spot), Some(other)) = (&mut thread.spot, one.spot) {
                spot.excerpt = spot.excerpt.take().or(other.excerpt);
                spot.original_line = spot.original_line.or(other.original_line);
                spot.original_start = spot.original_start.or(other.original_start);
            }
        }
    }

    fn inline_thread(&mut self, one: Loose) {
        self.threads.push(Thread {
            id: one.comment.id.clone(),
            channel: Channel::Inline,
            spot: one.spot,
            written_at: one.written_at,
            first: one.comment,
            replies: Vec::new(),
            all_replies: true,
            resolved: one.resolved,
            outdated: one.outdated,
            review: None,
            actor: None,
        });
    }
}

/// Takes what a later page of a thread adds to it; whether it is one.
fn go_on(thread: &mut Thread, page: Thread) -> bool {
    let held: HashSet<Box<str>> = thread.comments().map(|c| c.id.clone()).collect();
    let is_page = page.spot.is_none() && thread.spot.is_some();
    let last = page.all_replies;
    let mut new = 0;
    for comment in std::iter::once(page.first).chain(page.replies) {
        if is_page && !held.contains(&comment.id) {
            thread.replies.push(comment);
            new += 1;
        }
    }
    thread.all_replies |= is_page && last;
    is_page && new > 0
}

/// The comment at the head of a chain of answers; `None` where the chain is a loop.
fn root(one: &Loose, parents: &HashMap<Box<str>, Option<Box<str>>>) -> Option<Box<str>> {
    let mut at = one.reply_to.clone()?;
    for _ in 0..=parents.len() {
        match parents.get(&at) {
            Some(Some(next)) => at = next.clone(),
            Some(None) | None => return Some(at),
        }
    }
    None
}

/// A digest of the set of comments: each one's channel, id and words, in the order of these
/// (FRG-4).
fn digest(threads: &[Thread]) -> Digest {
    let mut all: Vec<(Channel, &str, &[u8])> = threads
        .iter()
        .flat_map(|thread| thread.comments().map(move |comment| (thread, comment)))
        .map(|(thread, comment)| (thread.channel, comment.id.as_ref(), comment.body.raw()))
        .collect();
    all.sort_unstable();
    let mut hasher = Sha256::new();
    for (channel, id, body) in all {
        for field in [channel.word().as_bytes(), id.as_bytes(), body] {
            hasher.update((field.len() as u64).to_le_bytes());
            hasher.update(field);
        }
    }
    Digest(hasher.finalize().into())
}

/// The actor that our own format names; a word that is none is named.
pub(super) fn actor(c: &mut Cursor<'_>) -> super::fields::Read<Option<Actor>> {
    let Some(word) = c.text()? else {
        return Ok(None);
    };
    let actor = Actor::parse(&word);
    if actor.is_none() {
        let shown = Foreign::from(word.into_owned()).shown(Place::Strict);
        c.fault_with(
            "unknown-actor",
            format!("{shown} is no kind of commenter; it is told from the account"),
            "write human, panel, builtin-review or bot",
            false,
        );
    }
    Ok(actor)
}
