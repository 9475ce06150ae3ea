namespace Pipeline.Etl.Planning;

/// <summary>One setting that differs.</summary>
/// <param name="Path">Its key, such as <c>batch.maxBytes</c> or <c>connections.files.directory</c>.</param>
/// <param name="Old">As it is now, secrets as <c>***</c>; <see langword="null"/> where it is not given.</param>
/// <param name="New">As it would be; <c>(changed)</c> follows where only a secret in it differs.</param>
public sealed record SettingChange(string Path, string? Old, string? New);
