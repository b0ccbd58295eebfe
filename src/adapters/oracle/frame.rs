//! Messages between this program and its own children: `u32` length, then postcard. Both ends are
//! the same file on disk, so there is no version; a length over the cap is refused before anything
//! is allocated.

use std::io::{self, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Most bytes of one message: two heads and two tails, and room.
const CAP: u32 = 8 << 20;

/// Writes one message.
pub(in crate::adapters) fn send<T: Serialize>(to: &mut impl Write, message: &T) -> io::Result<()> {
    let mut frame = vec![0; 4];
    frame = postcard::to_extend(message, frame).map_err(io::Error::other)?;
    let length = u32::try_from(frame.len() - 4).map_err(io::Error::other)?;
    if length > CAP {
        return Err(io::Error::other("a message over its cap"));
    }
    if let Some(head) = frame.first_chunk_mut::<4>() {
        *head = length.to_le_bytes();
    }
    to.write_all(&frame)
}

/// Reads one message; `UnexpectedEof` when the other end is gone.
pub(in crate::adapters) fn receive<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<T> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    if length > CAP {
        return Err(io::Error::other("a message over its cap"));
    }
    let mut body = vec![0; length as usize];
    from.read_exact(&mut body)?;
    postcard::from_bytes(&body).map_err(io::Error::other)
}
