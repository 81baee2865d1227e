//! The server of the viewer: on 127.0.0.1, on a port of the system's choice, under a path nobody can guess.
//!
//! Whoever has the address may read the journal and command the mission; nobody else may. A page of another
//! place cannot: it does not know the path, its requests name another host or another origin, and both are
//! looked at before anything else.

use super::super::exit::{Exit, Fault};
use super::super::{Place, send};
use super::Shown;
use super::beside;
use super::http::{self, Request};
use super::page::Page;
use ct_codecs::{Base64, Encoder};
use endstate::engine::hex;
use endstate::native::HostError;
use endstate::native::lock::Lock;
use endstate::native::store::Places;
use endstate::vocab::event::Fact;
use endstate::vocab::json;
use serde_json::json;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How often the journal is looked at for more.
const LOOK: Duration = Duration::from_millis(150);
/// After so many looks without anything new, a sign of life, which also tells whether anybody listens.
const QUIET_LOOKS: u32 = 60;
/// The most bytes in one event of a stream.
const MOST_PIECE: u64 = 256 * 1024;
/// The most connections at once.
const MOST_CONNECTIONS: usize = 64;
const TEXT: &str = "text/plain; charset=utf-8";
const JSON: &str = "application/json";

pub(super) struct Server {
    listener: TcpListener,
    desk: Arc<Desk>,
}

/// What all connections share.
struct Desk {
    place: Place,
    page: Page,
    /// What lies in the page, where it is no journal that may grow.
    files: Vec<(String, Vec<u8>)>,
    journal: Option<PathBuf>,
    repository: Option<PathBuf>,
    port: u16,
    token: String,
    /// One command at a time.
    commands: Mutex<()>,
    connections: AtomicUsize,
}

impl Server {
    pub(super) fn bind(place: &Place, page: Page, shown: Shown) -> Result<Server, Fault> {
        let fail = |error| HostError::io("listen on", "127.0.0.1", error);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(fail)?;
        let port = listener.local_addr().map_err(fail)?.port();
        let (files, journal, repository) = match shown {
            Shown::Files(files) => (files, None, None),
            Shown::Live { journal, repository } => (Vec::new(), Some(journal), repository),
        };
        let (commands, connections) = (Mutex::new(()), AtomicUsize::new(0));
        let (place, token) = (place.clone(), token()?);
        let desk =
            Desk { place, page, files, journal, repository, port, token, commands, connections };
        Ok(Server { listener, desk: Arc::new(desk) })
    }

    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.desk.port, self.desk.token)
    }

    /// Serves until the process ends.
    pub(super) fn serve(self) -> Result<Exit, Fault> {
        loop {
            let (mut stream, _) = self
                .listener
                .accept()
                .map_err(|error| HostError::io("listen on", "127.0.0.1", error))?;
            let desk = Arc::clone(&self.desk);
            if desk.connections.fetch_add(1, Ordering::SeqCst) >= MOST_CONNECTIONS {
                desk.connections.fetch_sub(1, Ordering::SeqCst);
                continue;
            }
            std::thread::spawn(move || {
                // A reader that went away is no error.
                let _ = desk.serve(&mut stream);
                desk.connections.fetch_sub(1, Ordering::SeqCst);
            });
        }
    }
}

impl Desk {
    fn serve(&self, stream: &mut TcpStream) -> io::Result<()> {
        let Some(request) = Request::read(stream) else {
            return http::answer(
                stream,
                "400 Bad Request",
                TEXT,
                b"no request that is understood here\n",
            );
        };
        let hosts = [format!("127.0.0.1:{}", self.port), format!("localhost:{}", self.port)];
        let own = |name: &str| hosts.iter().any(|host| host == name);
        let origin = request.origin.as_deref();
        let foreign = origin.is_some_and(|origin| !origin.strip_prefix("http://").is_some_and(own));
        if !request.host.as_deref().is_some_and(own) || foreign {
            return http::answer(stream, "403 Forbidden", TEXT, b"another host or origin\n");
        }
        let name = request.path().strip_prefix('/').and_then(|path| path.split_once('/'));
        let Some((token, name)) = name.filter(|(token, _)| same(token, &self.token)) else {
            return http::answer(stream, "404 Not Found", TEXT, b"nothing is here\n");
        };
        debug_assert_eq!(token, self.token);
        match (request.method.as_str(), name) {
            ("GET", "") => {
                http::answer(stream, "200 OK", "text/html; charset=windows-1252", &self.page())
            }
            ("GET", "journal") => self.journal(stream),
            ("GET", "events") => self.events(stream, &request),
            ("POST", "command") => self.command(stream, &request),
            _ => http::answer(stream, "404 Not Found", TEXT, b"nothing is here\n"),
        }
    }

    /// Anew for every request: a mission that was begun again has other snapshots.
    fn page(&self) -> Vec<u8> {
        match &self.journal {
            Some(journal) => self.page.live(beside::newest(journal)),
            None => self.page.with_files(&self.files),
        }
    }

    fn journal(&self, stream: &mut TcpStream) -> io::Result<()> {
        let Some(path) = &self.journal else {
            return http::answer(stream, "404 Not Found", TEXT, b"no journal is served here\n");
        };
        match std::fs::read(path) {
            Ok(bytes) => http::answer(stream, "200 OK", "application/octet-stream", &bytes),
            Err(error) => {
                let why = format!("the journal cannot be read: {error}\n");
                http::answer(stream, "500 Internal Server Error", TEXT, why.as_bytes())
            }
        }
    }

    /// Every further byte of the journal, as it comes, and whether anybody drives the mission. A journal that
    /// became shorter was cut or begun anew.
    fn events(&self, stream: &mut TcpStream, request: &Request) -> io::Result<()> {
        let Some(path) = &self.journal else {
            return http::answer(stream, "404 Not Found", TEXT, b"no journal is served here\n");
        };
        let again = request.last_event.as_deref().and_then(|id| id.parse().ok());
        let mut offset = again.or(request.number("from")).unwrap_or(0);
        http::begin_events(stream)?;
        let mut quiet = 0;
        let mut told = None;
        loop {
            let driver = self.driver();
            if driver != told {
                told = driver;
                http::event(stream, "driver", offset, driver.unwrap_or_default())?;
            }
            let length = std::fs::metadata(path).map_or(0, |meta| meta.len());
            if length < offset {
                return http::event(stream, "again", 0, "the journal became shorter");
            }
            if length > offset {
                let bytes = piece(path, offset, (length - offset).min(MOST_PIECE))?;
                offset += bytes.len() as u64;
                // A stream of events carries text.
                let text = Base64::encode_to_string(&bytes).map_err(io::Error::other)?;
                http::event(stream, "bytes", offset, &text)?;
                quiet = 0;
                continue;
            }
            quiet += 1;
            if quiet % QUIET_LOOKS == 0 {
                io::Write::write_all(stream, b": here\n\n")?;
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Whether a driver is alive; nothing where no command can be given. This process takes the lock only for a
    /// command, and drives nothing.
    fn driver(&self) -> Option<&'static str> {
        let lock = Places::of(self.repository.as_ref()?).lock();
        let holder = Lock::held_by(&lock).filter(|holder| holder.pid != std::process::id());
        Some(holder.map_or("none", |_| "alive"))
    }

    fn command(&self, stream: &mut TcpStream, request: &Request) -> io::Result<()> {
        let answer = match self.give(request) {
            Ok(()) => ("200 OK", json!({"result": "taken"})),
            Err(fault) => ("409 Conflict", fault.json()),
        };
        http::answer(stream, answer.0, JSON, answer.1.to_string().as_bytes())
    }

    /// Only a page of ours can have sent this: a form of another cannot name this type, and a script of another
    /// must show its origin, which was looked at.
    fn give(&self, request: &Request) -> Result<(), Fault> {
        if request.origin.is_none() || request.content_type.as_deref() != Some(JSON) {
            return Err(Fault::usage("command", "an origin and JSON", "another kind of request"));
        }
        let Some(root) = &self.repository else {
            return Err(Fault::usage(
                "command",
                "a mission in its repository",
                "a journal by itself",
            ));
        };
        let fact: Fact = json::utf8(&request.body).and_then(json::decode)?;
        if !matches!(fact, Fact::UserCommanded(_) | Fact::QuestionAnswered(_)) {
            return Err(Fault::usage("fact", "a command or an answer", fact.name()));
        }
        // Whoever panicked while it held this has left nothing half done in here.
        let _one = self.commands.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let place = Place { root: root.clone(), ..self.place.clone() };
        send::send(&place, fact).map(|_| ())
    }
}

fn piece(path: &Path, offset: u64, length: u64) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(offset))?;
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// 128 bits of the system's randomness.
fn token() -> Result<String, Fault> {
    let mut bytes = [0; 16];
    let source = Path::new("/dev/urandom");
    File::open(source)
        .and_then(|mut file| file.read_exact(&mut bytes))
        .map_err(|error| HostError::io("read", source, error))?;
    Ok(hex(&bytes))
}

/// Compares in a time that does not tell how much was right.
fn same(left: &str, right: &str) -> bool {
    left.len() == right.len()
        && left.bytes().zip(right.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}
