<?php
// What the public plugin for WooCommerce puts into a page: the usual snippet, and what it calls.
add_action( 'after_setup_theme', fn () => add_theme_support( 'html5', array( 'search-form' ) ) );
add_action(
	'wp_head',
	function () {
		$script  = getenv( 'LETHE_URL' ) . '/' . getenv( 'LETHE_ACCESS_KEY' ) . '/cs.js';
		$product = wp_json_encode( sanitize_text_field( wp_unslash( $_GET['product'] ?? '' ) ) );
		?>
<script>
window.PureClarityObject = '_pc';
window._pc = window._pc || function () { ( _pc.q = _pc.q || [] ).push( arguments ); };
( function () {
	var script = document.createElement( 'script' );
	script.async = true;
	script.src = <?php echo wp_json_encode( $script ); ?>;
	document.head.append( script );
} )();
_pc( 'page_view', { page_type: 'product_page', product_id: <?php echo $product; ?> } );
_pc( 'product_view', { id: <?php echo $product; ?> } );
</script>
		<?php
	}
);
