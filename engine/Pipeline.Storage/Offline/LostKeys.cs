using System.Globalization;

namespace Pipeline.Storage;

/// <summary>Keys of a tree that can no longer be read.</summary>
/// <param name="Tree">The tree's name.</param>
/// <param name="Range">
/// Where they lay: each key that is lost is in it, but not each that is in it need have existed.
/// </param>
/// <param name="Page">The damaged page.</param>
/// <param name="Reason">What is wrong with it.</param>
public sealed record LostKeys(string Tree, KeyRange Range, long Page, string Reason)
{
    /// <inheritdoc/>
    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"tree '{Tree}', {Range}: page {Page}: {Reason}");
}
