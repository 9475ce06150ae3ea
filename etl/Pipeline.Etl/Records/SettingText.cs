namespace Pipeline.Etl.Records;

/// <summary>A setting's value as text.</summary>
/// <param name="Text">As it is: never to be shown or stored.</param>
/// <param name="Shown">What may be shown and stored: the same with its secrets masked.</param>
internal readonly record struct SettingText(string Text, string Shown)
{
    /// <summary>Whether something of it is hidden.</summary>
    public bool IsMasked => Text != Shown;
}
