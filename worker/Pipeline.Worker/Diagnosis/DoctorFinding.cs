namespace Pipeline.Worker.Diagnosis;

/// <summary>A risk that <c>pipeline doctor</c> has found.</summary>
/// <param name="Check">The id of the check, such as <c>tls</c>: stable, for scripts.</param>
/// <param name="Place">The setting with its place in the file, or the thing of the machine.</param>
/// <param name="Risk">What can happen.</param>
/// <param name="Suggestion">What to do.</param>
internal sealed record DoctorFinding(string Check, string Place, string Risk, string Suggestion);
