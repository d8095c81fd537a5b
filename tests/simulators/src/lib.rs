//! The simulators: all external systems that a test or a demo needs, on real sockets. Their state is in memory, and
//! `/_sim/` controls it; they share no code with the services under test.

mod bounces;
mod catalog_control;
mod clients;
mod control;
mod faults;
pub mod generator;
mod hooks;
mod learners;
mod mail;
mod mailbox;
mod page;
mod partner;
pub mod payments;
mod platform;
mod smtp;
mod state;
mod vies;

#[cfg(test)]
mod behaviour;

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use axum::{Json, Router, http::StatusCode, response::IntoResponse, routing::get};
use serde_json::json;
use tokio::net::TcpListener;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use state::Simulation;

/// Time that `shutdown` waits for calls in progress.
const SHUTDOWN_PATIENCE: Duration = Duration::from_secs(2);

/// Addresses of the simulators, and the secrets that they share with the services.
#[derive(Clone, Debug)]
pub struct SimulatorsConfig {
    pub http: SocketAddr,
    pub smtp: SocketAddr,
    /// The URL for registration hints; `None` sends no hint.
    pub hint_url: Option<String>,
    /// The base URL for payment webhooks, which go to `/{gateway}/{organisation}/` below it; `None` sends none.
    pub notification_url: Option<String>,
    /// Where reports of mails that came back go, with the password; `None` sends none.
    pub mail_report_url: Option<String>,
    /// The organisations' accounts with the payment providers.
    pub accounts: Vec<payments::Account>,
    /// The service account's OAuth2 client.
    pub client_id: String,
    pub client_secret: String,
    /// Signs the platform's JWTs (HS256).
    pub jwt_secret: String,
    pub issuer: String,
    pub audience: String,
}

impl Default for SimulatorsConfig {
    fn default() -> Self {
        let free_port = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        Self {
            http: free_port,
            smtp: free_port,
            hint_url: None,
            notification_url: None,
            mail_report_url: None,
            accounts: payments::Account::demo(),
            client_id: "storefront-worker".into(),
            client_secret: "demo-platform-secret".into(),
            jwt_secret: "demo-jwt-secret-demo-jwt-secret-32".into(),
            issuer: "http://127.0.0.1:8090/oauth2".into(),
            audience: "openedx".into(),
        }
    }
}

/// Running simulators; dropping this stops them.
pub struct Simulators {
    /// The bound HTTP address: control interface, course platform and payment providers.
    pub http: SocketAddr,
    /// The bound SMTP address.
    pub smtp: SocketAddr,
    simulation: Arc<Simulation>,
    tasks: TaskTracker,
    stop: CancellationToken,
}

impl Simulators {
    /// The URL of a path, such as `/platform` or `/_sim/emails`.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.http)
    }

    /// Sets the URL for registration hints, for callers that learn the api's address only after the simulators run.
    pub fn set_hint_url(&self, url: Option<String>) {
        self.simulation.set_hint_url(url);
    }

    /// Sets the base URL for payment webhooks.
    pub fn set_notification_url(&self, url: Option<String>) {
        self.simulation.set_notification_url(url);
    }

    /// Stops listening, and waits for calls in progress.
    pub async fn shutdown(self) {
        self.stop.cancel();
        self.tasks.close();
        if tokio::time::timeout(SHUTDOWN_PATIENCE, self.tasks.wait()).await.is_err() {
            tracing::warn!("shutdown timed out; a simulated call was cut off");
        }
    }
}

impl Drop for Simulators {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// Binds both addresses and serves them until the returned value is dropped.
///
/// # Errors
/// An address cannot be listened on.
pub async fn start(config: SimulatorsConfig) -> io::Result<Simulators> {
    let http_listener = TcpListener::bind(config.http).await?;
    let smtp_listener = TcpListener::bind(config.smtp).await?;
    let (http, smtp) = (http_listener.local_addr()?, smtp_listener.local_addr()?);

    let stop = CancellationToken::new();
    let tasks = TaskTracker::new();
    let simulation = Arc::new(Simulation::new(config, stop.clone()));

    let server = axum::serve(http_listener, router(simulation.clone()))
        .with_graceful_shutdown(stop.clone().cancelled_owned());
    tasks.spawn(async move {
        if let Err(error) = server.await {
            tracing::error!(%error, "the simulated HTTP server stopped");
        }
    });
    tasks.spawn(smtp::serve(smtp_listener, simulation.clone(), tasks.clone()));

    Ok(Simulators { http, smtp, simulation, tasks, stop })
}

fn router(simulation: Arc<Simulation>) -> Router {
    Router::new()
        .route("/_sim", get(page::show))
        .route("/_sim/", get(page::show))
        .route("/_sim/mails/{number}/{position}", get(page::attachment))
        .route("/_sim/assets/{organisation}/{file}", get(page::asset))
        .merge(bounces::routes())
        .merge(clients::routes())
        .merge(control::routes())
        .merge(catalog_control::routes())
        .merge(learners::routes())
        .merge(hooks::routes(&simulation))
        .merge(payments::routes(&simulation))
        .merge(partner::routes(&simulation))
        .merge(vies::routes(&simulation))
        .nest("/platform", platform::router(simulation.clone()))
        .fallback(unknown_path)
        .with_state(simulation)
}

async fn unknown_path() -> impl IntoResponse {
    (StatusCode::NOT_FOUND, Json(json!({"error": "nothing is simulated at this path"})))
}
