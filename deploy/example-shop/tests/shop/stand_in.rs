//! A stand-in for the API, which notes what it is asked, and a running shop that asks it.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use reqwest::{Client, RequestBuilder};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

pub const SECRET: &str = "client-secret-of-the-test";
pub const SHOP_URL: &str = "http://shop.test";

/// A call that the shop has made.
#[derive(Clone)]
pub struct Call {
    pub path: String,
    pub headers: HeaderMap,
    pub body: Value,
}

impl Call {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}

pub type Calls = Arc<Mutex<Vec<Call>>>;

/// Starts a server that answers as the API does, and notes each call.
pub async fn serve(answer: fn(&str, &HeaderMap, &[u8]) -> Response) -> (String, Calls) {
    let calls = Calls::default();
    let note = async move |State(calls): State<Calls>, uri: Uri, headers: HeaderMap, body: Bytes| {
        let asked = serde_json::from_slice(&body).unwrap_or_default();
        let path = uri.path().to_owned();
        calls.lock().unwrap().push(Call { path, headers: headers.clone(), body: asked });
        answer(uri.path(), &headers, &body)
    };
    let router = Router::new().fallback(note).with_state(calls.clone());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    (url, calls)
}

/// A running shop. It ends with the test.
pub struct Shop {
    pub url: String,
    pub client: Client,
    _process: Child,
}

pub fn command(settings: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_storefront-example-shop"));
    command.env_clear().envs([
        ("CLIENT_API_SECRET", SECRET),
        ("SHOP_LISTEN", "127.0.0.1:0"),
        ("SHOP_URL", SHOP_URL),
    ]);
    command.envs(settings.iter().copied()).kill_on_drop(true);
    command
}

impl Shop {
    pub async fn start(api: &str, settings: &[(&str, &str)]) -> Self {
        let settings = [&[("STOREFRONT_URL", api)], settings].concat();
        let mut process = command(&settings).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).await.unwrap();
        let url = line.trim().strip_prefix("the shop is at ").unwrap().trim_end_matches('/').to_owned();
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
        Self { url, client, _process: process }
    }

    pub fn get(&self, path: &str) -> RequestBuilder {
        self.client.get(format!("{}{path}", self.url))
    }

    pub fn post(&self, path: &str, form: &[(&str, &str)]) -> RequestBuilder {
        self.client.post(format!("{}{path}", self.url)).header("origin", SHOP_URL).form(form)
    }
}

pub async fn status(request: RequestBuilder) -> u16 {
    request.send().await.unwrap().status().as_u16()
}

/// A visitor who keeps the shop's cookies, each for the pages below its path.
pub struct Browser<'a> {
    shop: &'a Shop,
    language: &'static str,
    header: Option<(&'static str, &'static str)>,
    cookies: Mutex<BTreeMap<(String, String), String>>,
}

/// What the shop answered.
pub struct Page {
    pub status: u16,
    /// Where a redirect leads.
    pub to: String,
    pub headers: HeaderMap,
    pub text: String,
}

impl<'a> Browser<'a> {
    pub fn new(shop: &'a Shop, language: &'static str) -> Self {
        Self { shop, language, header: None, cookies: Mutex::default() }
    }

    /// Behind a proxy that adds a header.
    pub fn with_header(self, name: &'static str, value: &'static str) -> Self {
        Self { header: Some((name, value)), ..self }
    }

    pub async fn get(&self, path: &str) -> Page {
        self.send(self.shop.get(path), path).await
    }

    pub async fn post(&self, path: &str, form: &[(&str, &str)]) -> Page {
        self.send(self.shop.post(path, form), path).await
    }

    /// The cookies that the browser sends to a page.
    pub fn cookies(&self, page: &str) -> String {
        let cookies = self.cookies.lock().unwrap();
        let sent = cookies.iter().filter(|((_, path), _)| page.starts_with(path.as_str()));
        sent.map(|((name, _), value)| format!("{name}={value}")).collect::<Vec<_>>().join("; ")
    }

    async fn send(&self, request: RequestBuilder, path: &str) -> Page {
        let request = request.header("accept-language", self.language).header("cookie", self.cookies(path));
        let request = match self.header {
            Some((name, value)) => request.header(name, value),
            None => request,
        };
        let answer = request.send().await.unwrap();
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        for cookie in headers.get_all("set-cookie") {
            let cookie = cookie.to_str().unwrap();
            let (pair, rest) = cookie.split_once(';').unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            let path = rest.split(';').find_map(|part| part.trim().strip_prefix("Path=")).unwrap();
            let key = (name.to_owned(), path.to_owned());
            self.cookies.lock().unwrap().insert(key, value.to_owned());
        }
        let to = headers.get("location").map(|to| to.to_str().unwrap().to_owned()).unwrap_or_default();
        Page { status, to, headers, text: answer.text().await.unwrap() }
    }
}
