-- The api names the tax of prices that browsers read.
GRANT SELECT ON tax_rates TO storefront_api;
