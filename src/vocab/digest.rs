//! Digests in hex.

use sha2::{Digest, Sha256};

/// Bytes as lower-case hex digits.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |value: u8| char::from(DIGITS[usize::from(value & 15)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(*byte)]).collect()
}

/// SHA-256 of a text in hex, as in every digest field.
pub fn digest(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}
