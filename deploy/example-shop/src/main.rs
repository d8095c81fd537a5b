//! The smallest storefront that a developer can copy: pages rendered on the server, which call the API as a trusted backend
//! does. The client secret stays here: the browser gets no key.
//!
//! Of the service it shares the crate `texts` alone: the messages that people read, and how languages write amounts and dates. A
//! copy takes that along, or brings words of its own (`words` is the only place that asks for it). All else it repeats on
//! purpose, such as the list of countries (`country`) and the reading of addresses behind proxies (`peer`).

#![expect(clippy::indexing_slicing, reason = "a JSON value answers null for a field that it lacks")]

mod basket;
mod baskets;
mod brand;
mod catalog;
mod checkout;
mod country;
mod cover;
mod draft;
mod faults;
mod item_pages;
mod items;
mod limits;
mod orders;
mod overview;
mod pages;
mod pay;
mod peer;
mod receipt;
mod sealed;
mod seats;
mod storefront;
mod timeline;
mod visitor;
mod words;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::HeaderName;
use axum::middleware::{from_fn_with_state, map_response};
use axum::routing::{get, post};
use clap::Parser;
use ipnet::IpNet;
use minijinja::Environment;
use reqwest::redirect::Policy;
use texts::Texts;
use url::{Host, Url};

use crate::limits::Limits;
use crate::pages::templates;
use crate::sealed::Seal;

/// Address of the shop, and its access to the storefront.
#[derive(Clone, Debug, Parser)]
struct Settings {
    /// Listen address of the shop
    #[arg(long, env, default_value = "127.0.0.1:8070")]
    shop_listen: SocketAddr,
    /// The shop's address, as browsers know it
    #[arg(long, env, default_value = "http://127.0.0.1:8070")]
    shop_url: String,
    /// Base URL of the storefront API: https://, unless it is on this machine, because the client secret goes there
    #[arg(long, env, default_value = "http://127.0.0.1:8080", value_parser = api_url)]
    storefront_url: String,
    /// The API's client secret
    #[arg(long, env, hide_env_values = true)]
    client_api_secret: String,
    /// Page on which learners sign in; the page gets the address to return to as `next`
    #[arg(long, env, default_value = "http://127.0.0.1:8090/_sim/login")]
    sign_in_url: String,
    /// Page on which they sign out, in the same way
    #[arg(long, env, default_value = "http://127.0.0.1:8090/_sim/logout")]
    sign_out_url: String,
    /// Page on which buyers withdraw from a contract; without one, the API's own
    #[arg(long, env)]
    withdraw_url: Option<String>,
    /// Proxies that may name a visitor's address in `X-Forwarded-For`, and the country: addresses or networks, separated by commas
    #[arg(long, env, value_delimiter = ',', value_parser = peer::network)]
    trusted_proxies: Vec<IpNet>,
    /// The header in which a trusted proxy names the visitor's country, such as CF-IPCountry. It decides the prices
    #[arg(long, env)]
    country_header: Option<HeaderName>,
    /// Lets visitors choose the country themselves, and with it their prices: for demonstrations
    #[arg(long, env)]
    demo: bool,
    /// Shows on each page the calls that it made, for developers
    #[arg(long, env)]
    show_calls: bool,
    /// Stripe's script
    #[arg(long, env, default_value = "https://js.stripe.com/v3/")]
    stripe_script_url: String,
    /// The script of Razorpay and Curlec
    #[arg(long, env, default_value = "https://checkout.razorpay.com/v1/checkout.js")]
    razorpay_script_url: String,
}

/// Shared state of all pages.
struct Shop {
    settings: Settings,
    client: reqwest::Client,
    templates: Environment<'static>,
    /// Leaked once, so that the functions of templates can keep a language's words.
    texts: &'static Texts,
    limits: Limits,
    seal: Seal,
}

type App = Arc<Shop>;

/// A URL to which the client secret may go.
fn api_url(text: &str) -> Result<String, String> {
    let url = Url::parse(text).map_err(|error| error.to_string())?;
    let is_here = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    match url.scheme() {
        "https" => Ok(text.trim_end_matches('/').to_owned()),
        "http" if is_here => Ok(text.trim_end_matches('/').to_owned()),
        _ => Err("must begin with https://, or name this machine".to_owned()),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The HTTP client needs a crypto provider. An error means that one is already installed.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let settings = Settings::parse();
    let listener = tokio::net::TcpListener::bind(settings.shop_listen).await?;
    println!("the shop is at http://{}/", listener.local_addr()?);
    // A redirect would take the client secret along, to any host.
    let client =
        reqwest::Client::builder().timeout(Duration::from_secs(30)).redirect(Policy::none()).build()?;
    let texts: &'static Texts = Box::leak(Box::new(Texts::bundled()?));
    let seal = Seal::new(&settings.client_api_secret);
    let (templates, limits) = (templates()?, Limits::default());
    let shop = Arc::new(Shop { settings, client, templates, texts, limits, seal });
    axum::serve(listener, router(shop).into_make_service_with_connect_info::<SocketAddr>())
        .with_graceful_shutdown(async {
            let _ = tokio::signal::ctrl_c().await;
        })
        .await?;
    Ok(())
}

fn router(shop: App) -> Router {
    let mut pages = Router::new()
        .route("/", get(catalog::courses))
        .route("/course/{key}", get(item_pages::course))
        .route("/waiting-list", post(item_pages::wait))
        .route("/programs", get(catalog::programs))
        .route("/program/{id}", get(item_pages::program))
        .route("/basket", get(basket::show).post(basket::add))
        .route("/buy", get(basket::open))
        .route("/basket/remove", post(basket::remove))
        .route("/basket/voucher", post(basket::set_voucher))
        .route("/checkout", get(checkout::back).post(checkout::check_out))
        .route("/pay/{cart}", get(pay::show))
        .route("/pay/{cart}/status", get(pay::status))
        .route("/order/{cart}", get(orders::show))
        .route("/order/{cart}/refund", post(orders::refund))
        .route("/orders", get(orders::list))
        .route("/return", get(orders::come_back))
        .route("/seats", get(seats::list))
        .route("/seats/{pool}", get(seats::show))
        .route("/seats/{pool}/{action}", post(seats::act))
        .route("/signin", get(visitor::sign_in).post(visitor::sign_in_to_buy))
        .route("/signout", post(visitor::sign_out))
        .route("/language", post(visitor::set_language))
        .fallback(pages::missing);
    if shop.settings.demo {
        pages = pages.route("/country", post(visitor::set_country));
    }
    pages
        .layer(from_fn_with_state(shop.clone(), visitor::refuse_foreign_forms))
        .layer(from_fn_with_state(shop.clone(), pages::designed))
        .layer(from_fn_with_state(shop.clone(), peer::note))
        // Without the visitor's cookie, so that they can be cached.
        .route("/shop.css", get(pages::style))
        .route("/pay.js", get(pages::pay_script))
        .route("/names.js", get(pages::names_script))
        .route("/icon.svg", get(pages::icon))
        .layer(map_response(pages::without_sniffing))
        .with_state(shop)
}
