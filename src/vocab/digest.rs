//! Digests in hex.

use sha2::{Digest, Sha256};

/// Bytes as lower-case hex digits.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |value: u8| char::from(DIGITS[usize::from(value & 15)]);
    let mut text = String::with_capacity(2 * bytes.len());
    bytes.iter().for_each(|byte| text.extend([digit(byte >> 4), digit(*byte)]));
    text
}

/// SHA-256 of a text in hex, as in every digest field.
pub fn digest(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}
