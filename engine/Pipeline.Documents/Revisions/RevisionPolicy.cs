namespace Pipeline.Documents;

/// <summary>Which versions of a collection's documents are kept. Immutable.</summary>
/// <remarks>
/// A version is removed when neither <see cref="Keep"/> nor <see cref="Age"/> wants it any more and no hold
/// (<see cref="DocumentTransaction.HoldRevisions"/>) needs it. Where neither is set, all stay.
/// </remarks>
public sealed record RevisionPolicy
{
    /// <summary>
    /// Whether versions are kept from now on. Turning it off removes nothing: existing versions stay.
    /// </summary>
    public bool Enabled { get; init; } = true;

    /// <summary>
    /// The number of a document's newest versions that always stay, including the current one or the deletion. From 1;
    /// null sets no number.
    /// </summary>
    public int? Keep { get; init; }

    /// <summary>
    /// A version stays at least this long after another has replaced it. Above zero; null sets no time.
    /// </summary>
    public TimeSpan? Age { get; init; }

    /// <summary>Whether a document's deletion removes its versions, in the same commit.</summary>
    public bool PurgeOnDelete { get; init; }

    internal bool Removes => Enabled && (Keep is not null || Age is not null);

    internal bool Purges => Enabled && PurgeOnDelete;

    internal void Validate(string name)
    {
        if (Keep < 1)
        {
            throw new ArgumentException(
                $"The revisions of {name} keep {Keep} versions; it must be at least 1, the current one."
            );
        }

        if (Age <= TimeSpan.Zero)
            throw new ArgumentException($"The revisions of {name} are kept for {Age}; it must be above zero.");
    }
}
