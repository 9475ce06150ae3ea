namespace Pipeline.Configuration.Testing;

/// <summary>What a recording made.</summary>
/// <param name="Cases">How many cases were written.</param>
/// <param name="Known">How many were left out because a case of that name exists already.</param>
/// <param name="File">The file that they were written to.</param>
public sealed record RecordedCases(int Cases, int Known, string File);
