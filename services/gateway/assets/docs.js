/* Shows the document with Swagger UI. Tags stay shut: there are some three hundred operations. */
const place = document.getElementById('swagger-ui')

window.SwaggerUIBundle({
  domNode: place,
  url: place.dataset.document,
  deepLinking: false,
  docExpansion: 'none',
  defaultModelsExpandDepth: -1,
  defaultModelExpandDepth: 2,
  filter: true,
  validatorUrl: null,
})
