//! Tests of the simulators' behaviour that other tests rely on, through their sockets.

mod catalog;
mod disputes;
mod faults;
mod mail;
mod page;
mod payments;
mod payouts;
mod platform;
mod refunds;
mod slow_payments;

use reqwest::{Client, Method, redirect::Policy};
use serde_json::{Value, json};
use tokio::{
    io::AsyncReadExt,
    net::{TcpListener, TcpStream},
};

use super::{Simulators, SimulatorsConfig, start};

const COURSE: &str = "course-v1:Acme+CS101+2026";
const ENROLLMENT: &str = "/platform/api/enrollment/v1/enrollment";

struct World {
    simulators: Simulators,
    client: Client,
    service: String,
}

impl World {
    async fn new() -> Self {
        Self::with(SimulatorsConfig::default()).await
    }

    async fn with(config: SimulatorsConfig) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let simulators = start(config).await.unwrap();
        let client = Client::builder().redirect(Policy::none()).build().unwrap();
        let mut world = Self { simulators, client, service: String::new() };
        world.service = format!("JWT {}", world.token("jwt").await["access_token"].as_str().unwrap());
        world
    }

    async fn token(&self, kind: &str) -> Value {
        let form = [
            ("grant_type", "client_credentials"),
            ("client_id", "storefront-worker"),
            ("client_secret", "demo-platform-secret"),
            ("token_type", kind),
        ];
        let url = self.simulators.url("/platform/oauth2/access_token");
        self.client.post(url).form(&form).send().await.unwrap().json().await.unwrap()
    }

    async fn control(&self, method: Method, path: &str, body: Value) -> (u16, Value) {
        let request = self.client.request(method, self.simulators.url(path)).json(&body);
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap_or_default())
    }

    async fn user(&self, body: Value) -> Value {
        let (status, user) = self.control(Method::POST, "/_sim/users", body).await;
        assert_eq!(status, 200, "{user}");
        user
    }

    async fn fault(&self, body: Value) {
        assert_eq!(self.control(Method::POST, "/_sim/faults", body).await.0, 200);
    }

    async fn course(&self, body: Value) {
        assert_eq!(self.control(Method::POST, "/_sim/courses", body).await.0, 200);
    }

    async fn get(&self, path: &str, authorization: &str) -> (u16, String) {
        let request = self.client.get(self.simulators.url(path)).header("authorization", authorization);
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    }

    async fn try_enroll(&self, extra: Value) -> reqwest::Result<(u16, Value)> {
        let mut body = json!({"user": "ada", "mode": "verified", "course_details": {"course_id": COURSE}});
        body.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let request = self.client.post(self.simulators.url(ENROLLMENT)).json(&body);
        let answer = request.header("authorization", &self.service).send().await?;
        let status = answer.status().as_u16();
        Ok((status, serde_json::from_str(&answer.text().await?).unwrap_or_default()))
    }

    async fn enroll(&self, extra: Value) -> (u16, Value) {
        self.try_enroll(extra).await.unwrap()
    }

    async fn enrollments(&self) -> Value {
        self.control(Method::GET, "/_sim/enrollments?email=ADA%40example.com", json!({})).await.1
    }

    async fn emails(&self, to: &str) -> Value {
        self.control(Method::GET, &format!("/_sim/emails?to={to}"), json!({})).await.1
    }
}

#[tokio::test]
async fn a_registration_sends_one_hint() {
    let world = World::new().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/storeapi/platform/registrations/TOKEN/", listener.local_addr().unwrap());
    world.simulators.set_hint_url(Some(url));
    world.user(json!({"email": "bob@example.com", "hint": false})).await;
    world.user(json!({"email": "ada@example.com", "name": "Ada L"})).await;
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut received = String::new();
    while !received.contains("sourcelib") {
        let mut buffer = [0; 4096];
        let length = stream.read(&mut buffer).await.unwrap();
        received.push_str(&String::from_utf8_lossy(&buffer[..length]));
    }
    assert!(received.starts_with("POST /storeapi/platform/registrations/TOKEN/ "), "{received}");
    assert!(received.contains("\"name\":\"Ada L\""), "{received}");
}

#[tokio::test]
async fn stopped_simulators_take_no_more_calls() {
    let world = World::new().await;
    let (http, smtp) = (world.simulators.http, world.simulators.smtp);
    world.simulators.shutdown().await;
    assert!(TcpStream::connect(http).await.is_err() && TcpStream::connect(smtp).await.is_err());
}
