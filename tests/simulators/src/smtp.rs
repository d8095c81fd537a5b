//! The simulated mail server: accepts and stores every message. Sockets and faults here; `mailin` handles the
//! protocol.

use std::{
    io,
    net::SocketAddr,
    sync::{Arc, mpsc},
    time::Duration,
};

use mailin::{Action, Handler, Response, SessionBuilder, response};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
};
use tokio_util::task::TaskTracker;

use super::{
    faults::{Kind, Suffering, Target, pause},
    mail,
    state::Simulation,
};

/// Wait after a failed accept (out of file descriptors, for example), so that the loop does not spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

pub(super) async fn serve(listener: TcpListener, simulation: Arc<Simulation>, tasks: TaskTracker) {
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = simulation.stop.cancelled() => return,
        };
        match accepted {
            Ok((stream, peer)) => {
                tasks.spawn(attend(stream, peer, simulation.clone()));
            }
            Err(error) => {
                tracing::warn!(%error, "an SMTP connection was not accepted");
                pause(&simulation, ACCEPT_PAUSE).await;
            }
        }
    }
}

async fn attend(stream: TcpStream, peer: SocketAddr, simulation: Arc<Simulation>) {
    let stop = simulation.stop.clone();
    tokio::select! {
        ended = converse(stream, peer, simulation) => if let Err(error) = ended {
            tracing::debug!(%error, "an SMTP connection broke");
        },
        () = stop.cancelled() => {}
    }
}

async fn converse(stream: TcpStream, peer: SocketAddr, simulation: Arc<Simulation>) -> io::Result<()> {
    let (mailbox, sufferings) = Mailbox::new(simulation.clone(), peer.port());
    let mut session = SessionBuilder::new("simulators").build(peer.ip(), mailbox);
    let mut stream = BufReader::new(stream);
    stream.write_all(&session.greeting().buffer()?).await?;

    let mut line = Vec::new();
    while stream.read_until(b'\n', &mut line).await? > 0 {
        let response = session.process(&line);
        line.clear();
        while let Ok(suffering) = sufferings.try_recv() {
            match suffering {
                Suffering::Delay(delay) => pause(&simulation, delay).await,
                _ => return Ok(()),
            }
        }
        if response.action != Action::NoReply {
            stream.write_all(&offering(response.buffer()?)).await?;
        }
        if response.action == Action::Close {
            break;
        }
    }
    Ok(())
}

/// Line that begins the answer to EHLO.
const OFFERS: &[u8] = b"250-simulators offers extensions:\r\n";

/// Adds PIPELINING to what is offered, as Postfix and Exim do: commands are read one after the other, however they arrive.
fn offering(answer: Vec<u8>) -> Vec<u8> {
    match answer.strip_prefix(OFFERS) {
        Some(others) => [OFFERS, b"250-PIPELINING\r\n", others].concat(),
        None => answer,
    }
}

/// The callbacks of the protocol machine for one connection. They cannot wait or close the connection, so they send
/// the fault to the connection's task.
struct Mailbox {
    simulation: Arc<Simulation>,
    sufferings: mpsc::Sender<Suffering>,
    /// The client's port.
    connection: u16,
    return_path: String,
    recipients: Vec<String>,
    message: Vec<u8>,
}

impl Mailbox {
    fn new(simulation: Arc<Simulation>, connection: u16) -> (Self, mpsc::Receiver<Suffering>) {
        let (sufferings, receiver) = mpsc::channel();
        let (return_path, recipients, message) = (String::new(), Vec::new(), Vec::new());
        (Self { simulation, sufferings, connection, return_path, recipients, message }, receiver)
    }
}

impl Handler for Mailbox {
    /// A status fault refuses a recipient: only after that refusal does the protocol machine continue cleanly.
    fn rcpt(&mut self, to: &str) -> Response {
        match self.simulation.state().faults.take(Target::Smtp, to, &[Kind::Status]) {
            Some(Suffering::Status(code, text)) => {
                Response::custom(code, text.unwrap_or_else(|| "refused on purpose".into()))
            }
            _ => response::OK,
        }
    }

    fn data_start(&mut self, _domain: &str, from: &str, _is8bit: bool, to: &[String]) -> Response {
        from.clone_into(&mut self.return_path);
        self.recipients = to.to_vec();
        self.message.clear();
        response::OK
    }

    fn data(&mut self, line: &[u8]) -> io::Result<()> {
        self.message.extend_from_slice(line);
        Ok(())
    }

    /// Stores the message first: a delay or a lost answer affects only the client's view.
    fn data_end(&mut self) -> Response {
        let emails = mail::read(&self.message, &self.return_path, &self.recipients, self.connection);
        let place = self.recipients.join(" ");
        let mut state = self.simulation.state();
        state.emails.extend(emails);
        for kind in [Kind::Delay, Kind::LostAnswer] {
            if let Some(suffering) = state.faults.take(Target::Smtp, &place, &[kind]) {
                // The receiver lives as long as the session that calls this.
                let _ = self.sufferings.send(suffering);
            }
        }
        response::OK
    }
}
