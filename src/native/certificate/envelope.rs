//! The envelope of a certificate: DSSE with an ed25519 signature, and the keys for it.

use super::invalid;
use crate::native::files::digest_of;
use crate::native::git_hidden::user_folder;
use crate::native::{HostError, HostResult, regular};
use crate::vocab::error::Result;
use crate::vocab::json::{self, Readable, Serialize};
use ct_codecs::{Base64, Decoder, Encoder};
use ed25519_compact::{KeyPair, PublicKey, SecretKey, Seed, Signature};
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The type of what is signed.
const TYPE: &str = "application/vnd.in-toto+json";

#[derive(Serialize, Readable)]
#[serde(deny_unknown_fields)]
struct Envelope {
    payload: String,
    #[serde(rename = "payloadType")]
    kind: String,
    signatures: [Signed; 1],
}

#[derive(Serialize, Readable)]
#[serde(deny_unknown_fields)]
struct Signed {
    keyid: String,
    sig: String,
}

/// What is signed: the payload with its type, so that neither is taken for another (DSSE's PAE).
fn encoding(payload: &[u8]) -> Vec<u8> {
    [format!("DSSEv1 {} {TYPE} {} ", TYPE.len(), payload.len()).as_bytes(), payload].concat()
}

fn base64(bytes: &[u8]) -> Result<String> {
    Base64::encode_to_string(bytes).map_err(|error| invalid("base64", "bytes", error))
}

/// How a key is named: the digest of its bytes.
fn name(key: &PublicKey) -> String {
    digest_of(&key[..])
}

/// One line with the payload, signed.
///
/// # Errors
/// `certificate_invalid` if it cannot be encoded.
pub(super) fn seal(payload: &str, key: &SecretKey) -> Result<String> {
    let sig = key.sign(encoding(payload.as_bytes()), None);
    let signed = Signed { keyid: name(&key.public_key()), sig: base64(&sig[..])? };
    let payload = base64(payload.as_bytes())?;
    let envelope = Envelope { payload, kind: TYPE.to_owned(), signatures: [signed] };
    Ok(json::encode(&envelope) + "\n")
}

/// The payload of an envelope that this key signed, byte for byte as it would be written.
///
/// # Errors
/// `certificate_invalid` with what does not hold.
pub(super) fn open(text: &str, key: &PublicKey) -> Result<String> {
    let envelope: Envelope = json::decode(text.trim_end())?;
    if json::encode(&envelope) + "\n" != text {
        return Err(invalid("envelope", "the line as it was written", "other bytes"));
    }
    let [Signed { keyid, sig }] = &envelope.signatures;
    if envelope.kind != TYPE {
        return Err(invalid("payloadType", TYPE, &envelope.kind));
    }
    let decoded = |at: &str, text: &str| {
        Base64::decode_to_vec(text, None).map_err(|error| invalid(at, "base64", error))
    };
    let (payload, sig) = (decoded("payload", &envelope.payload)?, decoded("sig", sig)?);
    if *keyid != name(key) {
        return Err(invalid("keyid", &name(key), keyid));
    }
    let signature = Signature::from_slice(&sig);
    let signature = signature.map_err(|error| invalid("sig", "a signature", error))?;
    let holds = key.verify(encoding(&payload), &signature);
    holds.map_err(|error| invalid("sig", "the signature of this key", error))?;
    String::from_utf8(payload).map_err(|error| invalid("payload", "text", error))
}

/// The user's own key; `None` where nothing says where their settings are. Its public half has `.pub` behind its name.
pub fn own_key() -> Option<PathBuf> {
    user_folder().map(|folder| folder.join("endstate/key.pem"))
}

/// Makes a key, and its public half beside it (`.pub`), where there is none.
///
/// # Errors
/// `io`, also where there is one.
pub fn new_key(path: &Path) -> HostResult<()> {
    let pair = KeyPair::from_seed(Seed::generate());
    let write = |path: &Path, mode: u32, text: String| {
        let fail = |error| HostError::io("make", path, error);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path);
        let file = file.as_mut().map_err(|error| fail(std::io::Error::from(error.kind())))?;
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(fail)
    };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| HostError::io("make", folder, error))?;
    }
    write(path, 0o600, pair.sk.to_pem())?;
    write(&path.with_added_extension("pub"), 0o644, pair.pk.to_pem())
}

fn read(path: &Path) -> HostResult<String> {
    let fail = |error| HostError::io("read", path, error);
    let mut text = String::new();
    let mut file = regular::open(path).map_err(fail)?;
    std::io::Read::read_to_string(&mut file, &mut text).map_err(fail)?;
    Ok(text)
}

/// A private key, as PEM.
///
/// # Errors
/// `io`, `certificate_invalid` if it is none.
pub(super) fn private(path: &Path) -> HostResult<SecretKey> {
    let pair = KeyPair::from_pem(&read(path)?);
    Ok(pair.map_err(|error| invalid("key", "an ed25519 private key as PEM", error))?.sk)
}

/// A public key, as PEM.
///
/// # Errors
/// `io`, `certificate_invalid` if it is none.
pub(super) fn public(path: &Path) -> HostResult<PublicKey> {
    let key = PublicKey::from_pem(&read(path)?);
    Ok(key.map_err(|error| invalid("key", "an ed25519 public key as PEM", error))?)
}
