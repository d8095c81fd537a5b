//! The warm course list by each kind of credential, beside the client secret in the same run.

use harness::{SECRET, Setup, world};

use crate::load::{Load, median, wrk_with};

const ROUNDS: usize = 5;

pub async fn run() {
    world(Setup { workers: 0, own_queues: true, ..Setup::default() }, async |world| {
        let url = world.url("/storeapi/discovery/courses/");
        let ada = world.platform_user("ada@example.com").await;
        let of = |field: &str| ada[field].as_str().expect("a credential").to_owned();
        let cookies = ada["jwt_cookies"].as_object().expect("cookies").iter();
        let cookies: Vec<String> =
            cookies.map(|(name, value)| format!("{name}={}", value.as_str().expect("a cookie"))).collect();
        let kinds = [
            ("client secret", format!("clientapisecret: {SECRET}")),
            ("JWT, HS256", format!("Authorization: JWT {}", of("jwt"))),
            ("JWT cookies, RS512", format!("Cookie: {}", cookies.join("; "))),
            ("opaque bearer", format!("Authorization: Bearer {}", of("bearer"))),
            ("session cookie", format!("Cookie: sessionid={}", of("sessionid"))),
        ];
        let mut rounds: Vec<Vec<Load>> = Vec::new();
        for _ in 0..ROUNDS {
            let mut round = Vec::new();
            for (_, header) in &kinds {
                round.push(wrk_with(&url, header).await);
            }
            rounds.push(round);
        }
        println!("warm list of 8 by credential, 32 connections, median of {ROUNDS}");
        for (at, (name, _)) in kinds.iter().enumerate() {
            let load = median(rounds.iter().map(|round| round[at].per_second).collect());
            let ratio =
                median(rounds.iter().map(|round| round[at].per_second / round[0].per_second).collect());
            let p99 = median(rounds.iter().map(|round| round[at].p99).collect());
            println!("  {name:<20} {load:>8.0}/s  p99 {p99:.2} ms  {ratio:.2} of the secret's");
        }
    })
    .await;
}
