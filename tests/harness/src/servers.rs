//! Servers of a test's own, on free ports, for what a test must not change on the shared ones: PostgreSQL, Redis and
//! RabbitMQ, with TLS and accounts. A server reads no settings of the machine, ends with its value, and takes its data with it.

use std::fs;
use std::net::TcpStream;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use uuid::Uuid;

use super::api_process::free_port;
use super::certificates::Certificate;

/// Time that a server may take to start beside other tests.
const PATIENCE: Duration = Duration::from_secs(90);

/// The process of a server and the folder with its data.
struct Server {
    process: Child,
    folder: PathBuf,
    port: u16,
    /// The signal that ends it at once.
    end: &'static str,
}

impl Drop for Server {
    fn drop(&mut self) {
        let group = format!("-{}", self.process.id());
        let _ = Command::new("kill").args([self.end, "--", &group]).status();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Server {
    /// Starts a server's program in the foreground, in a process group of its own.
    fn start(folder: PathBuf, port: u16, mut command: Command, end: &'static str) -> Self {
        let log = fs::File::create(folder.join("log")).expect("a log");
        command.current_dir(&folder);
        command.stdin(Stdio::null()).stdout(log.try_clone().expect("a log")).stderr(log).process_group(0);
        let process = command.spawn().unwrap_or_else(|error| {
            panic!("{:?}: {error}; deploy/services installs the servers", command.get_program())
        });
        let mut server = Self { process, folder, port, end };
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let ended = server.process.try_wait().expect("a process");
            assert!(ended.is_none() && start.elapsed() < PATIENCE, "not started: {}", server.log());
            std::thread::sleep(Duration::from_millis(50));
        }
        server
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }
}

/// An empty folder that `user` owns.
fn folder(user: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("storefront-{}", Uuid::now_v7().simple()));
    fs::create_dir(&folder).expect("a folder");
    own(&folder, user);
    folder
}

fn is_root() -> bool {
    fs::metadata("/proc/self").expect("/proc").uid() == 0
}

/// Gives a file to a server's user; without root, servers run as the user of the tests.
fn own(path: &Path, user: &str) {
    if is_root() {
        run(Command::new("chown").arg(format!("{user}:")).arg(path));
    }
}

/// A file that only `user` can read: PostgreSQL refuses a key that others can.
fn write(folder: &Path, name: &str, text: &str, user: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, text).expect("a file");
    run(Command::new("chmod").arg("600").arg(&path));
    own(&path, user);
    path
}

/// A program as a server's user: PostgreSQL does not run as root. It ends with the test, even if that is killed, and has no
/// environment but the search path.
fn program(program: &Path, user: &str) -> Command {
    let mut command = Command::new("setpriv");
    if is_root() {
        command.args([&format!("--reuid={user}"), &format!("--regid={user}"), "--clear-groups"]);
    }
    command.arg("--pdeathsig=QUIT").arg(program);
    command.env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    command
}

/// Runs a program to its end, which must be a good one.
pub fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// The folder of PostgreSQL's programs, of the newest version.
pub fn postgresql_programs() -> PathBuf {
    let newest = |folder: fs::ReadDir| folder.flatten().map(|version| version.path().join("bin")).max();
    let programs = fs::read_dir("/usr/lib/postgresql").ok().and_then(newest);
    programs.expect("PostgreSQL is missing; deploy/services installs it")
}

/// A PostgreSQL server with the three roles, whose passwords are `storefront`.
pub struct PostgreSql(Server);

impl PostgreSql {
    /// Starts one, which refuses connections without TLS.
    pub fn start(certificate: &Certificate) -> Self {
        let folder = folder("postgres");
        let data = folder.join("data");
        let mut make = program(&postgresql_programs().join("initdb"), "postgres");
        run(make.arg("-D").arg(&data).args([
            "-U",
            "postgres",
            "-A",
            "trust",
            "-N",
            "-E",
            "UTF8",
            "--locale=C.UTF-8",
        ]));
        write(&data, "server.crt", &certificate.chain, "postgres");
        write(&data, "server.key", &certificate.key, "postgres");
        let access = "hostssl all all 127.0.0.1/32 trust\nhostssl replication all 127.0.0.1/32 trust\n";
        write(&data, "pg_hba.conf", access, "postgres");
        let server = Self::serve(folder);
        let passwords = ["owner", "worker", "api"].map(|role| format!("{role}_password=storefront"));
        let roles = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/roles.sql");
        server
            .psql("postgres", &["-v", &passwords[0], "-v", &passwords[1], "-v", &passwords[2], "-f", roles]);
        server
    }

    /// Starts a standby, which follows this server.
    pub fn standby(&self) -> Self {
        let folder = folder("postgres");
        let mut copy = program(&postgresql_programs().join("pg_basebackup"), "postgres");
        copy.arg("-D").arg(folder.join("data")).args(["-U", "postgres", "-R", "-c", "fast"]);
        run(copy.args(["-h", "127.0.0.1", "-p", &self.0.port.to_string()]));
        Self::serve(folder)
    }

    fn serve(folder: PathBuf) -> Self {
        let port = free_port();
        let mut server = program(&postgresql_programs().join("postgres"), "postgres");
        server.arg("-D").arg(folder.join("data")).args(["-p", &port.to_string(), "-F"]);
        server.args(["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "ssl=on"]);
        Self(Server::start(folder, port, server, "-QUIT"))
    }

    /// The server's `host:port`.
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.0.port)
    }

    /// A database's URL for a role.
    pub fn url(&self, role: &str, database: &str) -> String {
        format!("postgres://{role}:storefront@localhost:{}/{database}", self.0.port)
    }

    /// Runs psql as the superuser.
    pub fn psql(&self, database: &str, arguments: &[&str]) {
        let url = self.url("postgres", database);
        let start = Instant::now();
        loop {
            let mut psql = Command::new("psql");
            let output =
                psql.args(["-Xq", "-v", "ON_ERROR_STOP=1", &url]).args(arguments).output().expect("psql");
            if output.status.success() {
                return;
            }
            let said = String::from_utf8_lossy(&output.stderr);
            // It listens a little before it answers.
            assert!(said.contains("starting up") && start.elapsed() < PATIENCE, "{said}\n{}", self.0.log());
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

/// A Redis server that knows one user, `storefront` with the password `storefront`, over TLS alone.
pub struct Redis(Server);

impl Redis {
    pub fn start(certificate: &Certificate) -> Self {
        let (folder, port) = (folder("redis"), free_port());
        let chain = write(&folder, "server.crt", &certificate.chain, "redis");
        let key = write(&folder, "server.key", &certificate.key, "redis");
        let authority = write(&folder, "authority.crt", &certificate.authority, "redis");
        let settings = format!(
            "port 0\ntls-port {port}\nbind 127.0.0.1\nsave \"\"\ntls-auth-clients no\ntls-cert-file {}\n\
             tls-key-file {}\ntls-ca-cert-file {}\nuser default off\nuser storefront on >storefront ~* &* +@all\n",
            chain.display(),
            key.display(),
            authority.display()
        );
        let settings = write(&folder, "redis.conf", &settings, "redis");
        let mut server = program(Path::new("/usr/bin/redis-server"), "redis");
        server.arg(settings);
        Self(Server::start(folder, port, server, "-KILL"))
    }

    pub fn url(&self) -> String {
        format!("rediss://storefront:storefront@localhost:{}/0", self.0.port)
    }
}

/// A RabbitMQ broker with the accounts of a definitions file, and a port mapper of its own.
pub struct RabbitMq(Server, #[expect(dead_code, reason = "ends after the broker")] Server);

impl RabbitMq {
    /// Starts one, which takes connections over TLS alone if it has a certificate.
    pub fn start(certificate: Option<&Certificate>, definitions: &Value) -> Self {
        Self::start_with(certificate, definitions, "")
    }

    /// As [`Self::start`], with more lines of its settings.
    pub fn start_with(certificate: Option<&Certificate>, definitions: &Value, more: &str) -> Self {
        let mapper = start_port_mapper();
        let (folder, port) = (folder("rabbitmq"), free_port());
        let written = |name: &str, text: &str| write(&folder, name, text, "rabbitmq").display().to_string();
        let mut settings =
            format!("load_definitions = {}\n{more}", written("definitions.json", &definitions.to_string()));
        match certificate {
            None => settings += &format!("listeners.tcp.default = 127.0.0.1:{port}\n"),
            Some(certificate) => {
                settings += &format!(
                    "listeners.tcp = none\nlisteners.ssl.default = 127.0.0.1:{port}\n\
                     ssl_options.cacertfile = {}\nssl_options.certfile = {}\nssl_options.keyfile = {}\n\
                     ssl_options.verify = verify_none\nssl_options.fail_if_no_peer_cert = false\n",
                    written("authority.crt", &certificate.authority),
                    written("server.crt", &certificate.chain),
                    written("server.key", &certificate.key)
                );
            }
        }
        written("rabbitmq.conf", &settings);
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        let mut server = program(Path::new("/usr/lib/rabbitmq/bin/rabbitmq-server"), "rabbitmq");
        let paths = [
            ("HOME", folder.clone()),
            ("RABBITMQ_CONFIG_FILE", folder.join("rabbitmq")),
            // Beside that file, the broker reads /etc/rabbitmq/conf.d and advanced.config.
            ("RABBITMQ_CONFIG_FILES", folder.join("none")),
            ("RABBITMQ_ADVANCED_CONFIG_FILE", folder.join("advanced")),
            ("RABBITMQ_CONF_ENV_FILE", PathBuf::from(written("env", ""))),
            ("RABBITMQ_MNESIA_BASE", folder.clone()),
            ("RABBITMQ_LOG_BASE", folder.clone()),
            ("RABBITMQ_ENABLED_PLUGINS_FILE", PathBuf::from(written("plugins", "[].\n"))),
        ];
        server.envs(paths).env("RABBITMQ_NODENAME", format!("{name}@localhost"));
        server.env("RABBITMQ_DIST_PORT", free_port().to_string());
        server.env("ERL_EPMD_PORT", mapper.port.to_string());
        Self(Server::start(folder, port, server, "-KILL"), mapper)
    }

    /// The broker's URL for a user whose password is `storefront`.
    pub fn url(&self, scheme: &str, user: &str) -> String {
        format!("{scheme}://{user}:storefront@localhost:{}/%2f", self.0.port)
    }
}

/// Starts Erlang's port mapper, which a broker would otherwise share with the machine's.
fn start_port_mapper() -> Server {
    let (folder, port) = (folder("rabbitmq"), free_port());
    let mut mapper = program(Path::new("epmd"), "rabbitmq");
    mapper.args(["-address", "127.0.0.1", "-port", &port.to_string()]);
    Server::start(folder, port, mapper, "-KILL")
}
