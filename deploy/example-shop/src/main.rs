//! The smallest storefront that a developer can copy: pages rendered on the server, which call the API as a trusted backend
//! does. The client secret stays here: the browser gets no key.

#![expect(clippy::indexing_slicing, reason = "a JSON value answers null for a field that it lacks")]

mod basket;
mod catalog;
mod checkout;
mod orders;
mod pages;
mod seats;
mod storefront;
mod visitor;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use clap::Parser;
use minijinja::Environment;

use crate::pages::templates;

/// Where the shop listens, and what it sells through.
#[derive(Clone, Debug, Parser)]
struct Settings {
    /// Listen address of the shop
    #[arg(long, env, default_value = "127.0.0.1:8070")]
    shop_listen: SocketAddr,
    /// The shop's address, as browsers know it
    #[arg(long, env, default_value = "http://127.0.0.1:8070")]
    shop_url: String,
    /// Base URL of the storefront API
    #[arg(long, env, default_value = "http://127.0.0.1:8080")]
    storefront_url: String,
    /// The API's client secret
    #[arg(long, env, hide_env_values = true)]
    client_api_secret: String,
    /// Where learners sign in; the page gets the address to return to as `next`
    #[arg(long, env, default_value = "http://127.0.0.1:8090/_sim/login")]
    sign_in_url: String,
    /// Where they sign out, in the same way
    #[arg(long, env, default_value = "http://127.0.0.1:8090/_sim/logout")]
    sign_out_url: String,
    /// Whether each page shows the calls that it made, for developers
    #[arg(long, env)]
    show_calls: bool,
    /// Stripe's script
    #[arg(long, env, default_value = "https://js.stripe.com/v3/")]
    stripe_script_url: String,
    /// The script of Razorpay and Curlec
    #[arg(long, env, default_value = "https://checkout.razorpay.com/v1/checkout.js")]
    razorpay_script_url: String,
}

/// What every page needs.
struct Shop {
    settings: Settings,
    client: reqwest::Client,
    templates: Environment<'static>,
}

type App = Arc<Shop>;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The HTTP client needs a crypto provider. An error means that one is already installed.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let settings = Settings::parse();
    let listener = tokio::net::TcpListener::bind(settings.shop_listen).await?;
    println!("the shop is at http://{}/", settings.shop_listen);
    let client = reqwest::Client::builder().timeout(Duration::from_secs(30)).build()?;
    let shop = Arc::new(Shop { settings, client, templates: templates()? });
    let router = Router::new()
        .route("/", get(catalog::list))
        .route("/course/{key}", get(catalog::course))
        .route("/programs", get(catalog::programs))
        .route("/program/{id}", get(catalog::program))
        .route("/country", post(visitor::set_country))
        .route("/basket", get(basket::show).post(basket::add))
        .route("/basket/remove", post(basket::remove))
        .route("/basket/voucher", post(basket::set_voucher))
        .route("/checkout", post(checkout::check_out))
        .route("/order/{cart}", get(orders::show))
        .route("/order/{cart}/refund", post(orders::refund))
        .route("/orders", get(orders::list))
        .route("/return", get(orders::come_back))
        .route("/seats", get(seats::list))
        .route("/seats/{pool}", get(seats::show))
        .route("/seats/{pool}/{action}", post(seats::act))
        .route("/signin", get(visitor::sign_in))
        .route("/signout", post(visitor::sign_out))
        .route("/shop.css", get(pages::style))
        .route("/pay.js", get(pages::pay_script))
        .layer(from_fn_with_state(shop.clone(), visitor::refuse_foreign_forms))
        .with_state(shop);
    axum::serve(listener, router)
        .with_graceful_shutdown(async {
            let _ = tokio::signal::ctrl_c().await;
        })
        .await?;
    Ok(())
}
