//! A proxy in front of an api that changes the pages which it passes on.

use std::net::SocketAddr;

use axum::http::{HeaderMap, StatusCode, Uri, header};
use tokio::task::JoinHandle;

/// A running proxy; dropping it ends it.
pub struct Tampering {
    pub address: SocketAddr,
    serving: JoinHandle<()>,
}

impl Tampering {
    /// Starts one on a port of its own, in front of the api at a base URL.
    pub async fn start(api: String, change: fn(&mut HeaderMap, &mut String)) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let pass_on = async move |uri: Uri| {
            let request =
                reqwest::Client::new().get(format!("{api}{uri}")).header(header::ACCEPT, "text/html");
            let answer = request.send().await.expect("an answer");
            let (status, mut headers) = (answer.status(), answer.headers().clone());
            headers.remove(header::CONTENT_LENGTH);
            headers.remove(header::TRANSFER_ENCODING);
            let mut page = answer.text().await.expect("a page");
            change(&mut headers, &mut page);
            (StatusCode::from_u16(status.as_u16()).expect("a status"), headers, page)
        };
        let routes = axum::Router::new().fallback(pass_on);
        let serving = tokio::spawn(async { axum::serve(listener, routes).await.expect("the proxy") });
        Self { address, serving }
    }
}

impl Drop for Tampering {
    fn drop(&mut self) {
        self.serving.abort();
    }
}
