namespace Pipeline.Server.Operations;

/// <summary>How far a download is, as answers tell it.</summary>
/// <param name="Status">Waiting, Running, Completed, Canceled or Faulted.</param>
/// <param name="Total">The number of documents or results that it will have.</param>
/// <param name="Written">How many are written.</param>
/// <param name="Error">Why it failed; null if it did not.</param>
internal sealed record DownloadState(string Status, long Total, long Written, string? Error)
{
    /// <summary>The state of a download; null is one that no request has begun.</summary>
    public static DownloadState Of(Download? download) =>
        download is null
            ? new DownloadState(nameof(DownloadStatus.Waiting), 0, 0, null)
            : new DownloadState(download.Status.ToString(), download.Total, download.Written, download.Error);
}
