namespace Pipeline.TestKit.Services;

/// <summary>s3rver, which serves S3's protocol, with a bucket <see cref="Bucket"/>.</summary>
public sealed class S3Service : NpmService
{
    /// <summary>A bucket that is there.</summary>
    public const string Bucket = "backups";

    /// <summary>The only key that it knows, and the key's secret.</summary>
    public const string Key = "S3RVER";

    /// <inheritdoc/>
    public override string Name => "s3rver";

    /// <inheritdoc/>
    public override string Variable => "PIPELINE_TEST_S3";

    /// <inheritdoc/>
    protected override string Program => "s3rver";

    /// <inheritdoc/>
    protected override string Endpoint(int port) => $"http://127.0.0.1:{port}";

    /// <inheritdoc/>
    protected override IReadOnlyList<string> Arguments(string folder, int port) =>
        [
            "--directory",
            folder,
            "--address",
            "127.0.0.1",
            "--port",
            $"{port}",
            "--configure-bucket",
            Bucket,
            "--silent",
        ];
}
