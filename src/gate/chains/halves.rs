//! Work on many items, by two threads, with the same answer as by one.

/// Fewer items than this are not worth a thread.
const WORTH: usize = 256;

/// What `each` makes of every item, in order; it is given the place of the item.
pub(super) fn halves<T: Sync, R: Send>(
    items: &[T],
    each: impl Fn(usize, &T) -> R + Sync,
) -> Vec<R> {
    let run = |from: usize, part: &[T]| -> Vec<R> {
        let numbered = part.iter().enumerate();
        numbered.map(|(at, item)| each(from + at, item)).collect()
    };
    if items.len() < WORTH {
        return run(0, items);
    }
    let middle = items.len() / 2;
    let (first, second) = items.split_at(middle);
    std::thread::scope(|scope| {
        let other = std::thread::Builder::new().spawn_scoped(scope, || run(middle, second));
        let mut out = run(0, first);
        // without a second thread, or when it came to nothing, this one does it all
        let rest = other.ok().and_then(|thread| thread.join().ok());
        out.extend(rest.unwrap_or_else(|| run(middle, second)));
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_that_of_the_items_whatever_their_number() {
        for many in [0, 1, 255, 256, 257, 1_000] {
            let items: Vec<usize> = (0..many).collect();
            let made = halves(&items, |at, item| {
                assert_eq!(at, *item);
                item * 2
            });
            assert_eq!(made, items.iter().map(|n| n * 2).collect::<Vec<_>>());
        }
    }
}
