//! As much of HTTP/1.1 as the viewer's page needs: one request per connection, whole answers, and streams of
//! server-sent events. Requests are read with limits on their size and on the time they may take.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

const MOST_HEAD: usize = 16 * 1024;
const MOST_BODY: usize = 256 * 1024;
const MOST_HEADERS: usize = 64;
const PATIENCE: Duration = Duration::from_secs(10);

/// A request.
#[derive(Debug, Default)]
pub(super) struct Request {
    pub(super) method: String,
    /// Path and query as they came.
    pub(super) target: String,
    pub(super) host: Option<String>,
    pub(super) origin: Option<String>,
    pub(super) content_type: Option<String>,
    pub(super) last_event: Option<String>,
    pub(super) body: Vec<u8>,
}

impl Request {
    /// Reads one request; `None` for what is none, or takes too long.
    pub(super) fn read(stream: &mut TcpStream) -> Option<Request> {
        stream.set_read_timeout(Some(PATIENCE)).ok()?;
        stream.set_write_timeout(Some(PATIENCE)).ok()?;
        let mut bytes = Vec::new();
        let mut piece = [0; 4096];
        loop {
            if let Some((mut request, head, length)) = parse(&bytes)? {
                while bytes.len() < head + length {
                    let count = stream.read(&mut piece).ok().filter(|count| *count > 0)?;
                    bytes.extend_from_slice(&piece[..count]);
                }
                request.body = bytes.get(head..head + length)?.to_vec();
                return Some(request);
            }
            if bytes.len() > MOST_HEAD {
                return None;
            }
            let count = stream.read(&mut piece).ok().filter(|count| *count > 0)?;
            bytes.extend_from_slice(&piece[..count]);
        }
    }

    /// The path without its query.
    pub(super) fn path(&self) -> &str {
        self.target.split_once('?').map_or(self.target.as_str(), |(path, _)| path)
    }

    /// A number of the query.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        let (_, query) = self.target.split_once('?')?;
        let value = query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))?;
        value.parse().ok()
    }
}

/// The head of a request, its length, and that of the body. The outer `None` is for what is no request.
#[allow(clippy::option_option)]
fn parse(bytes: &[u8]) -> Option<Option<(Request, usize, usize)>> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    let head = match parsed.parse(bytes) {
        Ok(httparse::Status::Complete(head)) => head,
        Ok(httparse::Status::Partial) => return Some(None),
        Err(_) => return None,
    };
    let mut request = Request {
        method: parsed.method?.to_owned(),
        target: parsed.path?.to_owned(),
        ..Request::default()
    };
    let mut length = 0;
    for header in parsed.headers.iter() {
        let value = std::str::from_utf8(header.value).ok()?.trim();
        let own = || Some(value.to_owned());
        match header.name.to_ascii_lowercase().as_str() {
            "host" if request.host.is_some() => return None,
            "host" => request.host = own(),
            "origin" => request.origin = own(),
            "content-type" => request.content_type = own(),
            "last-event-id" => request.last_event = own(),
            "content-length" => {
                length = value.parse().ok().filter(|length| *length <= MOST_BODY)?
            }
            "transfer-encoding" => return None,
            _ => {}
        }
    }
    Some(Some((request, head, length)))
}

/// What every answer says: nothing of it is kept, framed, guessed or told to others.
const COMMON: &str = "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
    X-Frame-Options: DENY\r\nCross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n\
    Connection: close\r\n";

/// Writes a whole answer.
pub(super) fn answer(
    stream: &mut TcpStream,
    status: &str,
    kind: &str,
    body: &[u8],
) -> io::Result<()> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{COMMON}\r\n"
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)?;
    stream.flush()
}

/// Begins a stream of server-sent events.
pub(super) fn begin_events(stream: &mut TcpStream) -> io::Result<()> {
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n{COMMON}\r\nretry: 1000\n\n"
    );
    stream.write_all(head.as_bytes())?;
    stream.flush()
}

/// Writes one event. `data` has no line ends.
pub(super) fn event(stream: &mut TcpStream, name: &str, id: u64, data: &str) -> io::Result<()> {
    stream.write_all(format!("event: {name}\nid: {id}\ndata: {data}\n\n").as_bytes())?;
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_read_and_what_is_none_is_not() {
        let whole =
            b"POST /t/command?from=7 HTTP/1.1\r\nHost: 127.0.0.1:9\r\nContent-Length: 2\r\n\r\n{}";
        let (request, head, length) = parse(whole).unwrap().unwrap();
        assert_eq!((request.path(), request.number("from"), length), ("/t/command", Some(7), 2));
        assert_eq!(&whole[head..], b"{}");
        assert!(parse(&whole[..20]).unwrap().is_none());
        for bad in [
            "\x16\x03\x01\x02\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
        ] {
            assert!(parse(bad.as_bytes()).is_none(), "{bad:?}");
        }
    }
}
