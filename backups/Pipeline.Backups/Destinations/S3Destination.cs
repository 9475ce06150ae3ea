using System.Net;
using System.Runtime.CompilerServices;
using Amazon;
using Amazon.Runtime;
using Amazon.S3;
using Amazon.S3.Model;
using Pipeline.Backups.Chunks;

namespace Pipeline.Backups.Destinations;

/// <summary>
/// S3 through Amazon's library. An object is complete and visible once its upload is acknowledged, and not before.
/// </summary>
internal sealed class S3Destination : IBackupDestination
{
    private readonly S3Definition _definition;
    private readonly AmazonS3Client _client;
    private readonly string _prefix;

    public S3Destination(S3Definition definition, string name)
    {
        _definition = definition;
        var prefix = definition.Prefix.Trim('/');
        _prefix = (prefix.Length == 0 ? "" : prefix + "/") + name + "/";
        Description =
            $"s3 {(definition.Endpoint is null ? "" : definition.Endpoint.GetLeftPart(UriPartial.Authority) + "/")}{definition.Bucket}/{_prefix.TrimEnd('/')}";
        var settings = new AmazonS3Config
        {
            ForcePathStyle = definition.Endpoint is not null,
            // Other services do not know Amazon's newer checksums; this code verifies each object that it reads.
            RequestChecksumCalculation = RequestChecksumCalculation.WHEN_REQUIRED,
            ResponseChecksumValidation = ResponseChecksumValidation.WHEN_REQUIRED,
            MaxErrorRetry = 2,
        };
        if (definition.Endpoint is { } endpoint)
            settings.ServiceURL = endpoint.AbsoluteUri;
        else if (definition.Region is { } region)
            settings.RegionEndpoint = RegionEndpoint.GetBySystemName(region);
        if (definition is { Endpoint: not null, Region: { } signed })
            settings.AuthenticationRegion = signed;
        _client = definition is { AccessKey: { } key, SecretKey: { } secret }
            ? new AmazonS3Client(new BasicAWSCredentials(key, secret), settings)
            : new AmazonS3Client(settings);
    }

    public string Description { get; }

    public Task PutAsync(string name, ReadOnlyMemory<byte> bytes, CancellationToken ct) =>
        TryAsync(
            $"writing {name}",
            async () =>
            {
                using var content = new MemoryStream(bytes.ToArray(), writable: false);
                var request = new PutObjectRequest
                {
                    BucketName = _definition.Bucket,
                    Key = KeyOf(name),
                    InputStream = content,
                    AutoCloseStream = false,
                    UseChunkEncoding = false,
                };
                if (_definition.StorageClass is { } storage)
                    request.StorageClass = new S3StorageClass(storage);
                await _client.PutObjectAsync(request, ct).ConfigureAwait(false);
                return true;
            },
            ct
        );

    public Task<byte[]?> GetAsync(string name, CancellationToken ct) =>
        TryAsync(
            $"reading {name}",
            async () =>
            {
                try
                {
                    using var response = await _client
                        .GetObjectAsync(_definition.Bucket, KeyOf(name), ct)
                        .ConfigureAwait(false);
                    using var content = new MemoryStream();
                    await response.ResponseStream.CopyToAsync(content, ct).ConfigureAwait(false);
                    return content.ToArray();
                }
                catch (AmazonS3Exception e)
                    when (e.StatusCode == HttpStatusCode.NotFound && e.ErrorCode != "NoSuchBucket")
                {
                    return null;
                }
            },
            ct
        );

    public async IAsyncEnumerable<StoredObject> ListAsync(string prefix, [EnumeratorCancellation] CancellationToken ct)
    {
        string? next = null;
        do
        {
            // The older call continues by key; the tokens of the newer one fail with some services.
            var request = new ListObjectsRequest
            {
                BucketName = _definition.Bucket,
                Prefix = _prefix + prefix,
                Marker = next,
            };
            var page = await TryAsync($"listing {prefix}", () => _client.ListObjectsAsync(request, ct), ct)
                .ConfigureAwait(false);
            foreach (var found in page.S3Objects ?? [])
            {
                yield return new StoredObject(
                    found.Key[_prefix.Length..],
                    found.Size ?? 0,
                    found.LastModified?.ToUniversalTime() ?? DateTimeOffset.MinValue
                );
            }

            next = page.IsTruncated == true && page.S3Objects is [.., var last] ? last.Key : null;
        } while (next is not null);
    }

    public Task DeleteAsync(string name, CancellationToken ct) =>
        TryAsync($"deleting {name}", () => _client.DeleteObjectAsync(_definition.Bucket, KeyOf(name), ct), ct);

    public ValueTask DisposeAsync()
    {
        _client.Dispose();
        return ValueTask.CompletedTask;
    }

    private string KeyOf(string name)
    {
        ObjectNames.Check(name);
        return _prefix + name;
    }

    private async Task<T> TryAsync<T>(string operation, Func<Task<T>> call, CancellationToken ct)
    {
        try
        {
            return await call().ConfigureAwait(false);
        }
        catch (AmazonServiceException e)
        {
            var transient =
                e.StatusCode is HttpStatusCode.RequestTimeout or HttpStatusCode.TooManyRequests or 0
                || (int)e.StatusCode >= 500;
            throw new DestinationException(
                Description,
                operation,
                e.ErrorCode is { Length: > 0 } code ? $"{e.Message.TrimEnd('.')} ({code})" : e.Message,
                transient,
                e
            );
        }
        catch (Exception e)
            when (e is AmazonClientException or HttpRequestException or IOException
                || (e is OperationCanceledException && !ct.IsCancellationRequested)
            )
        {
            throw new DestinationException(Description, operation, e.Message, isTransient: true, e);
        }
    }
}
