// Pages as the public plugins for shops leave them: their elements, classes, styles and calls, in our own words. A page
// gets the product and the category that it is about; {script} is where the plugin loads the script of the pages.

const THEME = `body { margin: 0; font: 16px/1.5 sans-serif; } header { padding: 12px; } img { max-width: 100%; }`;

const WOOCOMMERCE = {
  css: `${THEME} .pureclarity_bmz { display: none; }
    body { background: #222; color: #eee; } a { color: #9cf; } ul { margin: 0 0 16px 40px; list-style: disc; } li { margin: 4px; color: #eee; }
    .site-header { display: flex; background: #111; } .search-form { display: flex; gap: 4px; }
    .search-form input + input { border-radius: 4px; } .screen-reader-text { position: absolute; clip-path: inset(50%); }`,
  html: ({ product, script }) => `<header class="site-header"><form role="search" method="get" class="search-form" action="/">
      <label><span class="screen-reader-text">Search for:</span><input type="search" class="search-field" name="s"></label>
      <input type="submit" class="search-submit" value="Search"></form></header>
    <main><h1>Product</h1><div class="pureclarity_bmz pureclarity_PP-01" data-pureclarity="bmz:PP-01;id:${product};"></div>
    <div class="pureclarity_bmz" data-pureclarity="bmz:XX-99;"></div></main>${script}`,
};

const MAGENTO_2 = {
  css: `${THEME} .desktop-only { display: none !important; } .page-header { position: sticky; top: 0; background: #fff; overflow: hidden; }
    .minisearch { width: 300px; } .minisearch .input-text { width: 100%; box-sizing: border-box; }`,
  html: ({ product, script }) => `<header class="page-header"><form class="form minisearch" id="search_mini_form" action="/">
      <label class="label" for="search">Search</label><input id="search" type="text" name="q" class="input-text" maxlength="128"
        role="combobox" aria-haspopup="false" aria-autocomplete="both" autocomplete="off" aria-expanded="false" aria-controls="search_autocomplete">
      <div id="search_autocomplete" class="search-autocomplete"></div>
      <button type="submit" title="Search" class="action search"><span>Search</span></button></form>
    <form action="/" class="minisearch"><label>Find <input type="search" class="input-text" name="find"></label></form></header>
    <main><h1>Product</h1><div class="pureclarity_magento_bmz" data-pureclarity="bmz:PP-01;sku:${product};" style="display:none;"></div>
    <div class="desktop-only" data-pureclarity="bmz:PP-02;sku:${product};" style="display:none;"></div>
    <div data-pureclarity="bmz:XX-99;" style="display:none;"></div></main>${script}`,
};

const MAGENTO_1 = {
  css: `${THEME} .form-search { position: relative; float: right; } .header { overflow: hidden; }`,
  html: ({ product, category, script }) => `<header class="header"><form id="search_mini_form" action="/" method="get">
      <div class="form-search"><label for="search">Search:</label><input id="search" type="text" name="q" class="input-text">
      <button type="submit" title="Search" class="button"><span>Search</span></button></div></form></header>
    <main><h1>Product</h1><div data-pureclarity="bmz:PP-01;productid:${product};"></div>
    <h2>Category</h2><div data-pureclarity="navigation_category:${category}"></div>
    <h2>Filters</h2><div data-pureclarity="navigation_category_filter"></div>
    <h2>Found</h2><div data-pureclarity="navigation_search"></div></main>${script}`,
};

const X_CART = {
  css: `${THEME} .header { position: fixed; inset: 0 0 auto 0; transform: translateZ(0); background: #eee; } main { padding-top: 90px; }
    footer { height: 60px; } .simple-search { line-height: 30px; } .simple-search ul { display: flex; position: static; }`,
  html: ({ product, script }) => `<div class="header"><form class="form5" action="/"><div class="simple-search-box simple-search">
      <label>Search <input type="text" name="q" class="form-control"></label><button class="btn" type="submit">Go</button></div></form></div>
    <main><h1>Product</h1><div class="pureclarity-zone" data-pureclarity="bmz:PP-01;id:${product};" style="display:none;"></div>
    <div data-pureclarity="bmz:XX-99;" style="display:none;"></div></main>
    <footer><label>Search below <input type="search" name="below"></label></footer>${script}`,
};

export const SHOPS = { woocommerce: WOOCOMMERCE, magento2: MAGENTO_2, magento1: MAGENTO_1, xcart: X_CART };

/** A shop that draws its pages itself: an element that stays, and one call for each page. */
export const SINGLE_PAGE = {
  css: THEME,
  html: ({ script }) => `<main id="app"><h1>Shop</h1><div id="zone" data-pureclarity="bmz:HP-01;"></div></main>${script}`,
};

/** A search box without a form, whose hits stand on the page. */
export const BOX_ALONE = {
  css: THEME,
  html: ({ script }) => `<main><h1>Shop</h1><label>Search <input type="text" id="pc_searchbox"></label><div data-lethe-results></div></main>${script}`,
};
