//! Signals as news: the session ends, stops or comes back in the loop, never inside a handler.

use std::io;

use tokio::signal::unix::{SignalKind, signal};

use super::hub::{Hub, News};

/// Signals that end a session.
const ENDING: [SignalKind; 4] = [
    SignalKind::terminate(),
    SignalKind::hangup(),
    SignalKind::interrupt(),
    SignalKind::quit(),
];

/// Starts forwarding. Must be called inside the runtime.
///
/// # Errors
/// When a handler cannot be set.
pub fn forward(hub: &Hub) -> io::Result<()> {
    for kind in ENDING {
        let (mut signals, hub) = (signal(kind)?, hub.clone());
        tokio::spawn(async move {
            while signals.recv().await.is_some() {
                hub.send(News::Signal(kind.as_raw_value())).await;
            }
        });
    }
    let stop = SignalKind::from_raw(rustix::process::Signal::TSTP.as_raw());
    let resume = SignalKind::from_raw(rustix::process::Signal::CONT.as_raw());
    let resized = SignalKind::window_change();
    for (kind, news) in [
        (stop, (|| News::Stop) as fn() -> News),
        (resume, || News::Back),
        (resized, || News::Resized),
    ] {
        let (mut signals, hub) = (signal(kind)?, hub.clone());
        tokio::spawn(async move {
            while signals.recv().await.is_some() {
                hub.send(news()).await;
            }
        });
    }
    Ok(())
}
