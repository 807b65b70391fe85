
// Birch Works: a dialog whose form was refused is shown again.
for (const refused of document.querySelectorAll("dialog[data-open]")) refused.showModal();
