namespace Pipeline.Etl.Records;

/// <summary>One setting that differs.</summary>
/// <param name="Path">Its key, such as <c>batch.maxBytes</c> or <c>connections.files.directory</c>.</param>
/// <param name="Old">The current value, with secrets as <c>***</c>, or <see langword="null"/> if it is not set.</param>
/// <param name="New">The new value; <c>(changed)</c> follows if only a secret in it differs.</param>
public sealed record SettingChange(string Path, string? Old, string? New);

/// <summary>A setting's value as text.</summary>
/// <param name="Text">The value with its secrets. Never show or store it.</param>
/// <param name="Shown">The value with its secrets masked, which may be shown and stored.</param>
internal readonly record struct SettingText(string Text, string Shown)
{
    /// <summary>Whether it contains a secret.</summary>
    public bool IsMasked => Text != Shown;
}
