//! The check of Redis. The only key that it writes is its own, for a minute at most.

use std::time::Instant;

use chrono::{DateTime, Utc};
use redis::aio::MultiplexedConnection;
use redis::{ProtocolVersion, RedisResult, Script, cmd};

use super::{Checks, Program, Status, TIMEOUT, clock};
use crate::causes::causes;
use crate::keys::Keys;
use crate::redis::{IS_CLUSTER, client, is_cluster};
use crate::settings::RedisSettings;
use crate::tls::TlsSettings;

/// Does with a key what the programs' scripts do, and returns the server's time in seconds and microseconds.
const SCRIPT: &str = r"
redis.call('GET', KEYS[1])
redis.call('SET', KEYS[1], '1', 'PX', 60000)
return redis.call('TIME')";

/// The commands of both programs, and those of the api alone, with what follows the key. PTTL is the client library's: it sends
/// one before each GET that it caches.
const OF_BOTH: &[(&str, &[&str])] = &[("SET", &["1", "EX", "60"]), ("GET", &[]), ("DEL", &[])];
const OF_API: &[(&str, &[&str])] = &[("SETEX", &["60", "1"]), ("MGET", &[]), ("PTTL", &[])];

/// The answers of a server.
struct Answers {
    info: String,
    /// The server's time, and when it was asked; or the first command that it refused, and why.
    keys: Result<(DateTime<Utc>, Instant), String>,
    tracking: RedisResult<()>,
}

/// Checks Redis: that it answers, that it is no cluster, that the program may use its keys, that it pushes changes, its clock,
/// and that its memory is bounded.
pub async fn redis(checks: &mut Checks, settings: &RedisSettings, tls: &TlsSettings, program: Program) {
    let asking = tokio::time::timeout(TIMEOUT, ask(settings, tls, program));
    let asked = asking.await.unwrap_or_else(|_| Err("REDIS_URL: no answer in time".to_owned()));
    let Answers { info, keys, tracking } = match asked {
        Ok(answers) => answers,
        Err(error) => return checks.add("redis", Status::Failed, error),
    };
    if is_cluster(&info) {
        return checks.add("redis", Status::Failed, format!("REDIS_URL {IS_CLUSTER}"));
    }
    let said = |name: &str| info.lines().find_map(|line| line.trim().strip_prefix(name)?.strip_prefix(':'));
    let version = match (said("valkey_version"), said("redis_version")) {
        (Some(valkey), _) => format!("Valkey {valkey}"),
        (None, Some(redis)) => format!("Redis {redis}"),
        (None, None) => "a server of an unknown version".to_owned(),
    };
    checks.add("redis", Status::Ok, format!("{version} answers"));
    match keys {
        Ok((theirs, asked)) => {
            let prefix = &settings.redis_prefix;
            checks.add("redis keys", Status::Ok, format!("the user may use the keys of {prefix}"));
            clock(checks, "Redis'", theirs, asked.elapsed());
        }
        Err(refusal) => {
            let fix = "give the user the commands and keys of docs/operations.md";
            checks.add("redis keys", Status::Failed, format!("{refusal}: {fix}"));
        }
    }
    if program == Program::Api {
        let tracking = tracking.map_err(|error| format!("the server pushes no changes to caches: {error}"));
        checks.outcome("redis client tracking", "the server pushes changes to caches", tracking);
    }
    memory(checks, said("maxmemory"), said("maxmemory_policy"));
}

async fn ask(settings: &RedisSettings, tls: &TlsSettings, program: Program) -> Result<Answers, String> {
    let protocol = match program {
        Program::Api => ProtocolVersion::RESP3,
        Program::Worker => ProtocolVersion::RESP2,
    };
    let client =
        client("REDIS_URL", &settings.redis_url, protocol, tls).map_err(|error| error.to_string())?;
    let place = client.get_connection_info().addr().to_string();
    let connecting = tokio::time::timeout(TIMEOUT, client.get_multiplexed_async_connection()).await;
    let connected = connecting.map_err(|_| "no answer in time".to_owned());
    let connected = connected.and_then(|connected| connected.map_err(|error| causes(&error)));
    let mut connection = connected.map_err(|reason| format!("REDIS_URL ({place}): {reason}"))?;
    let info = cmd("INFO").query_async::<String>(&mut connection).await.unwrap_or_default();
    let keys = use_key(&mut connection, &Keys::new(&settings.redis_prefix).doctor(), program).await;
    let tracking = match program {
        Program::Api => cmd("CLIENT").arg("TRACKING").arg("ON").query_async(&mut connection).await,
        Program::Worker => Ok(()),
    };
    Ok(Answers { info, keys, tracking })
}

/// Runs the commands that the program uses, on a key of the installation that nothing else uses.
async fn use_key(
    connection: &mut MultiplexedConnection,
    key: &str,
    program: Program,
) -> Result<(DateTime<Utc>, Instant), String> {
    let refused = |command: &str, error: redis::RedisError| format!("{command} {key}: {error}");
    let asked = Instant::now();
    let script = Script::new(SCRIPT);
    let time = script.key(key).invoke_async::<(i64, u32)>(connection).await;
    let (seconds, micros) = time.map_err(|error| refused("EVALSHA", error))?;
    let apart = asked.elapsed() / 2;
    let of_api = if program == Program::Api { OF_API } else { &[] };
    for (name, arguments) in of_api.iter().chain(OF_BOTH) {
        let answer = cmd(name).arg(key).arg(arguments).query_async::<redis::Value>(connection).await;
        answer.map_err(|error| refused(name, error))?;
    }
    let time = DateTime::from_timestamp(seconds, micros.saturating_mul(1000));
    Ok((time.ok_or("TIME: not a time")?, asked + apart))
}

fn memory(checks: &mut Checks, bound: Option<&str>, policy: Option<&str>) {
    let (status, detail) = match (bound, policy) {
        (Some("0"), _) => {
            (Status::Warning, "has no bound: set maxmemory, and maxmemory-policy allkeys-lru".to_owned())
        }
        (Some(_), Some("noeviction")) => {
            (Status::Warning, "a full server refuses writes: set maxmemory-policy allkeys-lru".to_owned())
        }
        (Some(_), Some(policy)) => (Status::Ok, format!("is bounded, with {policy}")),
        _ => (Status::Warning, "INFO does not show its bound".to_owned()),
    };
    checks.add("redis memory", status, detail);
}
