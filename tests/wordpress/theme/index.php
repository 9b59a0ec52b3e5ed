<!doctype html>
<html <?php language_attributes(); ?>>
<head><meta charset="utf-8"><title>Shop</title><link rel="stylesheet" href="<?php echo esc_url( get_stylesheet_uri() ); ?>"><?php wp_head(); ?></head>
<body>
<header class="site-header"><?php get_search_form(); ?></header>
<main><h1>Product</h1>
<div class="pureclarity_bmz pureclarity_PP-01" data-pureclarity="bmz:PP-01;id:<?php echo esc_attr( sanitize_text_field( wp_unslash( $_GET['product'] ?? '' ) ) ); ?>;"></div>
<div class="pureclarity_bmz" data-pureclarity="bmz:XX-99;"></div>
</main>
<?php wp_footer(); ?>
</body>
</html>
