//! The few bytes of OpenSSH's own formats that we look into: the signature that `ssh-keygen -Y
//! sign` wrote, a public key line, the head of a private key. Nothing is verified here; that is
//! `ssh-keygen`'s work (rulings K24).

use sha2::{Digest as _, Sha256};

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes of a text in base64; blanks and line ends are skipped. `None` when it is none.
pub(super) fn from_base64(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut held, mut padded) = (0u32, 0u32, false);
    for byte in text.bytes().filter(|byte| !byte.is_ascii_whitespace()) {
        if byte == b'=' {
            padded = true;
            continue;
        }
        if padded {
            return None;
        }
        let value = LETTERS.iter().position(|letter| *letter == byte)?;
        bits = (bits << 6) | u32::try_from(value).ok()?;
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push(u8::try_from((bits >> held) & 0xff).ok()?);
        }
    }
    Some(out)
}

/// Base64 without padding, as fingerprints are written.
fn to_base64(bytes: &[u8]) -> String {
    let mut out = String::new();
    for three in bytes.chunks(3) {
        let at = |index: usize| u32::from(three.get(index).copied().unwrap_or(0));
        let bits = (at(0) << 16) | (at(1) << 8) | at(2);
        for shift in [18, 12, 6, 0].iter().take(three.len() + 1) {
            let letter = usize::try_from((bits >> shift) & 63).unwrap_or(0);
            out.extend(LETTERS.get(letter).map(|byte| char::from(*byte)));
        }
    }
    out
}

/// The fingerprint of a public key, as `ssh-keygen -l` prints it.
pub(super) fn fingerprint(public: &[u8]) -> String {
    format!("SHA256:{}", to_base64(&Sha256::digest(public)))
}

/// The string at the beginning of `bytes`, and what follows.
fn string(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_be_bytes(*length)).ok()?;
    rest.split_at_checked(length)
}

/// The kind of a public key: the string it begins with.
pub(super) fn kind(public: &[u8]) -> Option<String> {
    let (kind, _) = string(public)?;
    String::from_utf8(kind.to_vec()).ok()
}

/// Whether a key of this kind lies in hardware that can be touched.
pub(super) fn is_hardware(kind: &str) -> bool {
    kind.starts_with("sk-")
}

/// The public key of a line of a `.pub` file.
pub(super) fn public(line: &str) -> Option<Vec<u8>> {
    let mut words = line.split_ascii_whitespace();
    let (named, text) = (words.next()?, words.next()?);
    let bytes = from_base64(text)?;
    (kind(&bytes)? == named).then_some(bytes)
}

/// What a signature says of itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Signature {
    /// The key that made it.
    pub(super) public: Vec<u8>,
    /// Whether the key lies in hardware and says that it was touched for this signature.
    pub(super) touched: bool,
}

/// Reads an armored signature; `None` when it is none.
pub(super) fn signature(armored: &str) -> Option<Signature> {
    let body = armored
        .trim()
        .strip_prefix("-----BEGIN SSH SIGNATURE-----")?
        .strip_suffix("-----END SSH SIGNATURE-----")?;
    let bytes = from_base64(body)?;
    let rest = bytes.strip_prefix(b"SSHSIG")?;
    let rest = rest.strip_prefix(&1u32.to_be_bytes())?;
    let (public, rest) = string(rest)?;
    let (_namespace, rest) = string(rest)?;
    let (_reserved, rest) = string(rest)?;
    let (_hash, rest) = string(rest)?;
    let (made, rest) = string(rest)?;
    if !rest.is_empty() {
        return None;
    }
    let (_, after) = string(made)?;
    let (_, after) = string(after)?;
    // After a signature of a hardware key stand its flags and its counter; the flags are part of
    // what was signed.
    let touched = matches!(after, [flags, _, _, _, _] if flags & 1 == 1);
    Some(Signature {
        touched: touched && is_hardware(&kind(public)?),
        public: public.to_vec(),
    })
}

/// Whether a private key needs nothing typed: it says itself that it is not encrypted. `None`
/// when it is in a form that does not say.
pub(super) fn is_open(private: &str) -> Option<bool> {
    let body = private
        .trim()
        .strip_prefix("-----BEGIN OPENSSH PRIVATE KEY-----")?
        .strip_suffix("-----END OPENSSH PRIVATE KEY-----")?;
    let bytes = from_base64(body)?;
    let (cipher, _) = string(bytes.strip_prefix(b"openssh-key-v1\0")?)?;
    Some(cipher == b"none")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_read_and_written() {
        for (text, bytes) in [
            ("", &b""[..]),
            ("Zg", b"f"),
            ("Zm8", b"fo"),
            ("Zm9v", b"foo"),
            ("Zm9vYg", b"foob"),
        ] {
            assert_eq!(to_base64(bytes), text);
            assert_eq!(from_base64(text).as_deref(), Some(bytes), "{text}");
        }
        assert_eq!(from_base64("Zm8=\n").as_deref(), Some(&b"fo"[..]));
        assert_eq!(from_base64("Zm=8"), None);
        assert_eq!(from_base64("Z*8"), None);
    }

    #[test]
    fn a_text_that_only_looks_like_a_signature_is_none() {
        for text in [
            "",
            "-----BEGIN SSH SIGNATURE-----\n-----END SSH SIGNATURE-----",
            "-----BEGIN SSH SIGNATURE-----\nU1NIU0lHAAAAAf////8=\n-----END SSH SIGNATURE-----",
        ] {
            assert_eq!(signature(text), None, "{text}");
        }
        assert_eq!(public("ssh-ed25519 AAAA"), None);
        assert_eq!(is_open("-----BEGIN RSA PRIVATE KEY-----"), None);
    }
}
